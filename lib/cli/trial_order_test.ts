import { deepEqual, equal, notDeepEqual } from "node:assert/strict";
import { interleaved, trialsOf } from "./trial_order.ts";

const plays = ["a", "b", "c", "d", "e", "f", "g", "h"].flatMap((id) =>
  [1, 2, 3].map((trial) => ({ id, trial }))
);

Deno.test("interleaved() plays round by round, in the order that the seed decides", () => {
  const order = interleaved(plays, "one");
  deepEqual(interleaved(plays, "one"), order);
  notDeepEqual(interleaved(plays, "two"), order);
  deepEqual(order.map(({ trial }) => trial), [1, 2, 3].flatMap((k) => Array(8).fill(k)));
  const rounds = [0, 1, 2].map((round) => order.slice(round * 8, round * 8 + 8));
  for (const round of rounds) deepEqual(round.map(({ id }) => id).sort(), [..."abcdefgh"]);
  notDeepEqual(rounds[0]?.map(({ id }) => id), rounds[1]?.map(({ id }) => id));
});

Deno.test("trialsOf() takes what was asked for, else the gate's in live mode, else one", () => {
  const gate = { trials: { live: 3, critical: 5 } };
  equal(trialsOf({ mode: "live" }, gate, { risk: "high" }), 3);
  equal(trialsOf({ mode: "live" }, gate, { risk: "critical" }), 5);
  equal(trialsOf({ mode: "live", trials: 2 }, gate, { risk: "critical" }), 2);
  equal(trialsOf({ mode: "replay" }, gate, { risk: "critical" }), 1);
  equal(trialsOf({ mode: "live" }, {}, { risk: "critical" }), 1);
});
