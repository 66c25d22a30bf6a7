import assert from "node:assert/strict";
import type { State } from "../model/json.ts";
import { evaluateExpression } from "./compile.ts";
import { toolScope } from "./tool_scope.ts";

const state: State = {
  orders: {
    "O/1": { email: "a@x", customer: "C-1", total: 5 },
    O2: { email: "b@x", customer: "C-1", total: 7, id: "other" },
  },
  refunds: { "R-0009": { order: "O2" }, "R-0010": { order: "O2" }, "X-99": {} },
  files: {
    "/ws/notes": { link: "../secret" },
    "/ws/loop": { link: "loop" },
    "/secret/key": "k",
    "a/b": { link: "/etc" },
  },
};

const args = { order: "O/1", none: null, file: "../x" };

Deno.test("toolScope() gives arguments, state, clock, lets and the tools' functions", async () => {
  const scope = toolScope({ args, state, clock: "2026-10-01T09:00:00+02:00", lets: { id: "O2" } });
  const rows: [string, unknown][] = [
    ["$args.order", "O/1"],
    ["$id & ' ' & $clock", "O2 2026-10-01T09:00:00+02:00"],
    ["$state.orders.O2.total", 7],
    ["$at('orders/<order>/email')", "a@x"],
    ["$at('orders/<id>/email')", "b@x"],
    ["$at('orders/<missing>/email')", undefined],
    ["$at('orders/<none>/email')", undefined],
    ["$at('files/<file>')", undefined],
    ["$find('orders', {'customer': 'C-1'}).id", ["O/1", "O2"]],
    ["$find('orders', {'id': $args.order})", [{
      id: "O/1",
      email: "a@x",
      customer: "C-1",
      total: 5,
    }]],
    ["$find('orders', {'customer': 'C-1', 'total': $args.nothing}).total", [5, 7]],
    ["$count($find('orders', {'email': $like('B@')}))", 1],
    ["$count($find('orders', {'email': $like($args.nothing)}))", 2],
    ["$find('orders', {'email': '.*'})", []],
    ["$find('nothing')", []],
    ["$next('refunds', 'R-')", "R-0011"],
    ["$next('refunds', 'N')", "N1"],
    ["$next('new', 'N-')", "N-1"],
    ["$page([1, 2, 3], 1, 1)", [2]],
    ["$page($find('orders'), 0, $args.nothing).id", ["O/1", "O2"]],
    ["$page($args.nothing, 0, 5)", []],
    ["$resolve('/ws/notes/key')", "/secret/key"],
    ["$resolve('/ws/./x/../notes')", "/secret"],
    ["$resolve('../x')", "../x"],
    ["$resolve('/../x')", "/x"],
    ["$resolve('a/b/passwd')", "/etc/passwd"],
    ["$resolve($args.nothing)", undefined],
  ];
  for (const [text, value] of rows) {
    assert.deepEqual(await evaluateExpression(text, scope), { kind: "value", value }, text);
  }
  for (
    const text of ["$resolve('/ws/loop')", "$page([1], -1, 1)", "$find($args.nothing)", "$calls()"]
  ) {
    assert.equal((await evaluateExpression(text, scope)).kind, "error", text);
  }
});
