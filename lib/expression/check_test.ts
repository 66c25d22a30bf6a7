import assert from "node:assert/strict";
import fc from "fast-check";
import type { ToolSet } from "../model/tool.ts";
import { checkExpression } from "./check.ts";
import {
  entryShape,
  type ExpressionShape,
  gateShape,
  scenarioShape,
  toolShape,
} from "./expression_shape.ts";

const object = (properties: Record<string, { type: string; enum?: string[] }>) => ({
  type: "object",
  properties,
});

const tools = {
  find_customer: {
    description: "x",
    effect: "read",
    approval: "none",
    input: object({ code: { type: "string" } }),
  },
  update_address: {
    description: "x",
    effect: "write",
    approval: "none",
    input: object({
      code: { type: "string" },
      type: { type: "string", enum: ["shipping", "billing"] },
      rank: { type: "integer" },
      field: { type: "string", enum: ["phone", "mobile"] },
    }),
    needs: ["customers/<code>"],
    set: {
      "customers/<code>/shipping_address": "<address>",
      "customers/<code>/moved": true,
      "customers/<code>/<type>_<field>": "<address>",
      "customers/<code>/rank": "<rank>",
    },
  },
  add_note: {
    description: "x",
    effect: "write",
    approval: "none",
    input: object({ text: { type: "string" } }),
    needs: ["customers/<code>"],
    set: { "notes/<id>": { text: "<text>", author: "crm" } },
    append: { "customers/<code>/log": "<text>" },
    send: { to: "<mail>", channel: "email", text: "x" },
  },
  hidden: { description: "x", effect: "write", approval: "none", input: object({}) },
} satisfies ToolSet;

const shape = scenarioShape({
  tools,
  available: ["find_customer", "update_address", "add_note"],
  state: {
    customers: {
      "C-1043": { shipping_address: "a", vat: "1", legal: { seat: "x" } },
      "C-2": { shipping_address: "q", rank: 2 },
    },
    files: { "src/a.ts": "A" },
  },
});

/** Expression -> code and marked text of each problem, and a part of its fix. */
const PROBLEMS: readonly (readonly [string, ...(readonly [string, string, string])[]])[] = [
  ["tarce.calls", ["unknown-root", "tarce", 'did you mean "trace"']],
  ["$count(trace.cals) = 0", ["unknown-field", "cals", '"calls"']],
  ["$not($exists(tarce.calls[tool='x']))", ["unknown-root", "tarce", '"trace"']],
  ["usage.call <= 12", ["unknown-field", "call", '"calls"']],
  ["final.text = 'x'", ["unknown-field", "text", "nothing to choose from"]],
  ["$calls('find_customer')[0].args.cod = 'x'", ["unknown-field", "cod", '"code"']],
  ["$calls('find_customer')[0].sttus = 'ok'", ["unknown-field", "sttus", '"status"']],
  ["$count(trace.calls[tool='add_notes']) = 0", ["impossible-value", "=", "add_note"]],
  ["trace.calls[tool='add_note'].args.typ = 'x'", ["unknown-field", "typ", '"type"']],
  ["trace.commands[jsn.failed = 0].id = 'x'", ["unknown-field", "jsn", '"json"']],
  ["trace.calls[toool='x'].id = 'x'", ["unknown-field", "toool", '"tool"']],
  ["trace.calls^(>atMss)[0].tool = 'x'", ["unknown-field", "atMss", '"atMs"']],
  ["$filter(trace.calls, function($c) { $c.tool = tarce }) = 1", [
    "unknown-root",
    "tarce",
    "trace",
  ]],
  ["trace.calls[tool = before.x].id = '1'", ["root-in-predicate", "before", "$$.before"]],
  ["$exists(trace.calls.(usage.calls))", ["root-in-predicate", "usage", "$$.usage"]],
  ["$called('update_addres')", ["unknown-tool", "'update_addres'", '"update_address"']],
  ["$not($attempted('hidden'))", ["unavailable-tool", "'hidden'", "available_tools"]],
  ["$called('update_address', {'typ': 'x'})", ["unknown-argument", "'typ'", '"type"']],
  ["$called('update_address', {'type': 'shiping'})", [
    "impossible-value",
    "'shiping'",
    '"shipping"',
  ]],
  ["$called('update_address', {'rank': '2'})", ["impossible-value", "'2'", "number"]],
  ["$called('update_address', {'rank': /2/})", ["impossible-value", "/2/", "number"]],
  ["$called('update_address', {'rank': {'matches': '2'}})", [
    "impossible-value",
    "'2'",
    "number",
  ]],
  ["$called('find_customer', {'code': /(?=x)/})", ["not-re2", "/(?=x)/", "look-around"]],
  ["$called('find_customer', {'code': {'matches': '(?=x)'}})", [
    "not-re2",
    "'(?=x)'",
    "look-around",
  ]],
  ["$matches(final, '(a)\\\\1')", ["not-re2", "'(a)\\\\1'", "back references"]],
  ["$exit('(?!x)') = 0", ["not-re2", "'(?!x)'", "look-around"]],
  ["$matches(final, /a(?=b)/i)", ["not-re2", "/a(?=b)/i", "look-around"]],
  ["$contains(final, /a(?=b)/)", ["not-re2", "/a(?=b)/", "look-around"]],
  ["after.customers.`C-1034`.vat = '1'", ["unknown-field", "`C-1034`", '"C-1043"']],
  ["$count(after.customers.*[vatt = '1']) = 0", ["unknown-field", "vatt", '"vat"']],
  ["$count(after.customers.*.rnk) = 0", ["unknown-field", "rnk", '"rank"']],
  ["$count(trace.*.toool) = 0", ["unknown-field", "toool", '"tool"']],
  ["before.notes.n1.text = 'x'", ["unknown-field", "notes", "customers"]],
  ["after.notes.n1.txt = 'x'", ["unknown-field", "txt", '"text"']],
  ["$changed('customers/*/vatt')", ["unknown-path", "'customers/*/vatt'", '"vat"']],
  ["$conserved('custmers/**')", ["unknown-path", "'custmers/**'", '"customers"']],
  ["$value(before, 'customers/C-2/moved') = 1", ["unknown-path", "'customers/C-2/moved'", '"vat"']],
  ["$value(after, 'customers/*') = 1", ["unknown-path", "'customers/*'", "$paths"]],
  ["$count($paths(before, 'files/src/b.ts')) = 0", [
    "unknown-path",
    "'files/src/b.ts'",
    "src/a.ts",
  ]],
  ["$foo(1) = usage.calls", ["unknown-function", "$foo", "page on expressions"]],
  ["$cals('find_customer')[0].id = 'x'", ["unknown-function", "$cals", "$calls"]],
  ["calls('find_customer')", ["unknown-function", "calls", "$calls"]],
  ["$usage.calls = 1", ["unknown-variable", "$usage", "without $"]],
  ["$now() > final", ["refused-function", "$now", "time"]],
  ["$eval('1') = usage.calls", ["refused-function", "$eval", "leave it out"]],
  ["$shuffle(trace.calls)[0].id = '1'", ["refused-function", "$shuffle", "leave"]],
  ["$exists(after ~> |customers|{'a': 1}|)", ["refused-function", "|", "read the values"]],
  ["$pad(final, 100000) = ''", ["refused-function", "100000", "number"]],
  ["$before($writes())", ["argument-count", "$before", "2"]],
  ["$says('')", ["empty-words", "''", "words"]],
  ["$asked(['a', ''])", ["empty-words", "''", "words"]],
  ["$exists($user(0))", ["impossible-value", "0", "1"]],
  ["$map(['a'], $says(?))[0] = true", ["partial-application", "$says", "function"]],
  ["true", ["constant-expression", "true", "name a root"]],
  ["1 = 1 and $not(false)", ["constant-expression", "1 = 1 and $not(false)", "root"]],
  ["usage.calls = 1 or true", ["constant-expression", "or", "constant"]],
  ["$count($calls()) >= 0", ["constant-expression", ">=", "number"]],
  ["$count($writes())", ["not-boolean", "$count($writes())", "compare"]],
  ["$calls('find_customer')", ["not-boolean", "$calls('find_customer')", "compare"]],
  ["trace.calls.tool != 'hidden'", ["list-compared", "!=", "[0]"]],
  ["trace.calls.tool = 'hidden'", ["list-compared", "=", "[0]"]],
  ["$calls('update_address').args.type != 'billing'", ["list-compared", "!=", "[0]"]],
  ["$exists(trace.events[kind = 'cal'])", ["impossible-value", "=", '"call"']],
  ["$exists(trace.calls[status = 'okk'])", ["impossible-value", "=", '"ok"']],
  ["$matches(final, /(?i)abc/)", ["not-re2", "/(?i)abc/", "flags after"]],
  ["$count( = 1", ["expression-syntax", "=", "page"]],
  ["final = 'a", ["expression-syntax", "'a", "page"]],
  ["$asked", ["not-boolean", "$asked", "call it: $asked()"]],
  ["final ~> /21/", ["not-boolean", "final ~> /21/", "$matches(text, /21/)"]],
  ["$asked and $called('find_customer')", ["function-not-called", "$asked", "$asked(…)"]],
  ["$not($asked)", ["function-not-called", "$asked", "$asked(…)"]],
  ["final = /21/", ["pattern-compared", "/21/", "$matches(text, /21/)"]],
  ["after.customers.`C-2`.rank = '2'", ["impossible-value", "'2'", "without quotes: 2"]],
  ["after.customers.`C-2`.vat = 1", ["impossible-value", "1", 'quote it: "1"']],
  ["$exists(after.customers.*[moved = 'yes'])", ["impossible-value", "'yes'", "true or false"]],
  ["$count(after.customers.*[rank > '1']) = 0", ["impossible-value", "'1'", "without quotes: 1"]],
  ["final != 5", ["impossible-value", "5", 'quote it: "5"']],
  ["after.customers.`C-2`.vat", ["not-boolean", "after.customers.`C-2`.vat", "compare"]],
  ["after.customers.`C-2`.billng_phone = '1'", [
    "unknown-field",
    "billng_phone",
    '"billing_phone"',
  ]],
  ["final == 'x'", ["expression-syntax", "==", "write ="]],
  ["$asked() && final !== '&&'", ["expression-syntax", "&&", "write and"], [
    "expression-syntax",
    "!==",
    "write !=",
  ]],
  ["$asked() || $says('||')", ["expression-syntax", "||", "write or"]],
  ["!$asked()", ["expression-syntax", "!", "$not("]],
  ["$not $asked()", ["expression-syntax", "$not", "$not("]],
  ["not $asked()", ["expression-syntax", "not", "$not("]],
  ["$called(find_customer)", ["unknown-root", "find_customer", "'find_customer'"]],
  ["$exists(trace.calls[tool = find_customer])", [
    "unknown-field",
    "find_customer",
    "'find_customer'",
  ]],
  ["$matches(final, /[ ,;!?)]/)", ["not-re2", "/[ ,;!?)]/)", "as a text"]],
  ["$matches(final, /[)/]x/)", ["not-re2", "/[)/", "as a text"]],
  ["$changed('customers.C-2.rank')", [
    "unknown-path",
    "'customers.C-2.rank'",
    "customers/C-2/rank",
  ]],
  [
    "trace.cals = 1 and usage.trns = 2",
    ["unknown-field", "cals", "calls"],
    ["unknown-field", "trns", "turns"],
  ],
];

function marked(text: string, found: ExpressionShape): [string, string, string][] {
  return checkExpression(text, found).map((problem) => {
    assert.match(problem.what, /^["A-Z$]/);
    assert.ok(!problem.what.endsWith(".") && problem.fix !== "", problem.what);
    return [problem.code, text.slice(problem.offset, problem.offset + problem.length), problem.fix];
  });
}

Deno.test("checkExpression() finds every slip, where it stands, with its fix", () => {
  for (const [text, ...expected] of PROBLEMS) {
    const found = marked(text, shape);
    assert.equal(found.length, expected.length, `${text} ${JSON.stringify(found)}`);
    for (const [i, [code, place, fix]] of expected.entries()) {
      assert.equal(found[i]?.[0], code, `${text} ${JSON.stringify(found)}`);
      if (fix !== "page") assert.equal(found[i]?.[1], place, text);
      assert.ok(found[i]?.[2].includes(fix), `${text} ${JSON.stringify(found)}`);
    }
  }
});

const FINE: readonly string[] = [
  "$before($calls('find_customer', {'code': 'C-1043'}), $writes())",
  "$before($asks('Po 12'), $calls('update_address'))",
  "$called('update_address', {'type': 'shipping', 'rank': 2})",
  "$called('find_customer', {'code': /C-[0-9]+/i})",
  "$calls('update_address').args.type = 'shipping'",
  "$not('hidden' in trace.calls.tool)",
  "trace.calls[-1].tool = 'find_customer'",
  "$exists(trace.events[kind = 'call' and status = 'ok'])",
  "trace.calls[tool = $$.trace.calls[0].tool].id = 'x'",
  "after.customers.`C-1043`.shipping_mobile = '1' and after.customers.`C-2`.rank = 3",
  "after.customers.`C-2`.rank != null and after.notes.n1.author = 'x'",
  "$exists(final ~> /21/) and $exists($filter(['a'], $says))",
  "$not(final ~> $contains('x')) and ['a'] ~> $map($says) ~> $count > 0",
  "after.customers.`C-1043`.moved = true and before.customers.`C-1043`.rank = 1",
  "$exists(after.notes.n1[author = 'crm'])",
  "$count(after.customers.*[vat = '1']) = 1",
  "$changed('customers/**') or $changed('**/seat') or $changed('notes/*/text')",
  "$conserved('customers/*/legal/seat') and $changed('files/new/**')",
  "$value(before, 'files/src/a.ts') = 'A'",
  "$sum($map($calls('update_address'), function($c) { $c.args.rank })) > 1",
  "($late := $since($writes(), $user(2)); $count($late[tool = 'add_note']) = 0)",
  "$exists($sort(trace.calls, function($a, $b) { $a.atMs > $b.atMs })[0].anything)",
  "final ~> $contains('x')",
  "$count(sent[to = 'x' and $contains(text, 'y')]) = 1",
  "$exists(changes[before = null and after = 'x'])",
  "usage.costEur < 0.05 and scenario.id = 'x' and scenario.setup.clock = 'y'",
  "$exists($filter($calls(), function($c) { $c.args.type = 'shipping' }))",
  "$exists(trace.calls@$c.args[type = $c.id])",
  "usage.turns > 1 ? $asked() : $says('x')",
  "$match(final, /[0-9]+/)[0].match = '12'",
  "$lookup(after.customers, 'C-1043').vat = '1'",
];

Deno.test("checkExpression() passes what can be decided", () => {
  for (const text of FINE) assert.deepEqual(marked(text, shape), [], text);
});

Deno.test("checkExpression() knows value, was and path in {where}, and the fields of messages", () => {
  const change = entryShape(shape, "change");
  const sent = entryShape(shape, "message");
  assert.deepEqual(marked("value.customer = 'C' and was = null and path = 'x'", change), []);
  assert.equal(marked("valeu = 1", change)[0]?.[0], "unknown-root");
  assert.deepEqual(marked("$contains(value.text, 'x')", sent), []);
  assert.equal(marked("value.txt = 'x'", sent)[0]?.[0], "unknown-field");
});

Deno.test("checkExpression() allows everything of states and tools that it does not know", () => {
  const open = scenarioShape({ tools: {}, available: [], state: null });
  for (const text of ["after.anything.x = 1", "$called('any', {'x': 1})", "$changed('a/b')"]) {
    assert.deepEqual(marked(text, open), [], text);
  }
  const files = scenarioShape({ tools: {}, available: [], state: {}, workspace: true });
  assert.deepEqual(marked("$called('write_file', {'path': 'a'})", files), []);
  assert.equal(marked("$called('shell', {'cmd': 'a'})", files)[0]?.[0], "unknown-argument");
});

Deno.test("checkExpression() checks the lets and refusals of tools", () => {
  const lets = toolShape(tools.update_address, ["id"], "value");
  const rows: [string, string | null][] = [
    ["$find('refunds', {'order': $args.code})", null],
    ["$at('customers/<code>/<id.name>')", null],
    ["$at('customers/<customer>')", "unknown-variable"],
    ["$args.cod", "unknown-field"],
    ["$ids", "unknown-variable"],
    ["args.code", "unknown-root"],
    ["$calls('x')", "unknown-function"],
    ["$state.customers[vat = '1']", "let-collapses"],
    ["$state.customers[vat = '1'][]", null],
    ["$state.customers[0]", null],
    ["'EUR'", null],
  ];
  for (const [text, code] of rows) assert.equal(marked(text, lets)[0]?.[0] ?? null, code, text);
  const refuse = toolShape(tools.update_address, ["id"], "condition");
  assert.deepEqual(marked("$count($id) > 0", refuse), []);
  assert.equal(marked("$count($id)", refuse)[0]?.[0], "not-boolean");
});

Deno.test("checkExpression() checks the rules of gates", () => {
  const rows: [string, "task" | null, string | null][] = [
    ["candidate.critical = 0", null, null],
    ["candidate.critcal = 0", null, "unknown-field"],
    ["$drop('taskSuccess') <= 0.02", "task", null],
    ["$drop('costPerTask') <= 0.02", null, "unknown-metric"],
    ["$drop(candidate.taskSuccess) <= 0.02", "task", "unknown-metric"],
    ["$rise('costPerTask') <= 0.20", null, null],
    ["candidate.byTask.refund.taskSuccess > 0.9", null, null],
    ["$count(candidate.byTask.*[taskSuccess < 1]) = 0", null, null],
    ["$count(candidate.byTask.*[taskSucces < 1]) = 0", null, "unknown-field"],
    ["candidate.byTask.refund.taskSuccess > 0.9", "task", "unknown-field"],
    ["$count(ledger[kind = 'override']) < 3", null, null],
    ["$count(ledger[kind = 'overide']) < 3", null, "impossible-value"],
    ["candidate.taskSuccess", null, "not-boolean"],
    ["true", null, "constant-expression"],
    ["$not($significantDrop('taskSuccess', {'margin': 0.1, 'alpha': 0.05}))", "task", null],
    ["$not($significantDrop('taskSuccess'))", null, null],
    ["$not($significantDrop('costPerTask'))", null, "unknown-metric"],
    ["$not($significantDrop('taskSuccess', {'margn': 0.1}))", null, "unknown-argument"],
    ["$not($significantDrop('taskSuccess', {'margin': 10}))", null, "impossible-value"],
    [
      "$not($significantDrop('taskSuccess', {'margin': candidate.taskSuccess}))",
      null,
      "impossible-value",
    ],
    ["$significantDrop('taskSuccess') < 0.1", null, "impossible-value"],
    ["$atLeast('correctRefusals', 0.95)", null, null],
    ["$atLeast('correctRefusals', 95)", null, "impossible-value"],
    ["$atLeast('correctRefusals')", null, "argument-count"],
    ["$criticalHolds()", "task", null],
  ];
  for (const [text, group, code] of rows) {
    assert.equal(marked(text, gateShape(group))[0]?.[0] ?? null, code, text);
  }
});

Deno.test("checkExpression() never throws", () => {
  const part = fc.constantFrom(
    ..."$ $$ ( ) [ ] { } . ' / = 1 | ^ % @$a #$i * ** := ? , ~> .. ` < and in".split(" "),
    ...["function($x){", "trace", "calls", "tool", "$calls", "$value", "after", "'x'", "/a/"],
  );
  const text = fc.oneof(fc.string(), fc.array(part, { maxLength: 14 }).map((all) => all.join(" ")));
  fc.assert(
    fc.property(text, (one) => {
      for (const problem of checkExpression(one, shape)) {
        assert.ok(problem.offset >= 0 && problem.length >= 1, one);
      }
    }),
    { seed: 20261001, numRuns: 4000 },
  );
  const deep = `${"$not(".repeat(3_000)}$asked()${")".repeat(3_000)}`;
  assert.ok(checkExpression(deep, shape).length <= 1);
  assert.equal(checkExpression(`${"(".repeat(20_000)}1${")".repeat(20_000)}`, shape).length, 1);
});
