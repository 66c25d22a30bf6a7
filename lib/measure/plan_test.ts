import assert from "node:assert/strict";
import { planTrials, trialsWithin } from "./plan.ts";

const history = { runs: 4, success: 0.9, cost: 0.4, minutes: 6 };
const none = { runs: 0, success: null, cost: null, minutes: null };

Deno.test("planTrials() tells what each number of trials finds, costs and takes", () => {
  const rows = planTrials(20, history);
  assert.deepEqual(rows.map(({ trials }) => trials), [1, 3, 5, 10]);
  assert.ok(Math.abs((rows[0]?.drop ?? 0) - 0.1668) < 1e-4);
  assert.ok(Math.abs((rows[2]?.cost ?? 0) - 2) < 1e-12);
  assert.equal(rows[3]?.minutes, 60);
  assert.deepEqual(planTrials(20, none).map(({ cost, minutes }) => [cost, minutes]), [
    [null, null],
    [null, null],
    [null, null],
    [null, null],
  ]);
});

Deno.test("trialsWithin() takes the tighter limit, and knows nothing of what was not measured", () => {
  assert.equal(trialsWithin(history, { cost: 2, minutes: null }), 5);
  assert.equal(trialsWithin(history, { cost: 2, minutes: 20 }), 3);
  assert.equal(trialsWithin(history, { cost: 0.1, minutes: 20 }), 0);
  assert.equal(trialsWithin(history, { cost: null, minutes: null }), null);
  assert.equal(trialsWithin(none, { cost: 2, minutes: null }), null);
});
