/** Whatever the quick parser reads, the full one reads alike: value, places, and nothing to say of it. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../model/json.ts";
import { type KeyPath, type SourceFile, spanOf } from "./source.ts";
import { parseYaml } from "./yaml.ts";
import { quickYaml } from "./yaml_quick.ts";

const SEED = 20261130;

const ORDINARY = `# A comment
id: c1-refund
version: 3
rate: 0.60
at: 2026-10-01T09:00:00+02:00
tags: [a, "b, c", 'it''s', <name>, --mode, agent/**]
expected:
  # Of the state
  state:
    changes: {"refunds/*": {where: "value.order = 'A' and value.n = 1", count: 1}, a/b: -2.5}
  text: "Lo \\"dico\\", \\u00e8 vero\\n"
  none: null
  open: true
turns:
- calls: [{tool: read, args: {}},
    {tool: write, args: {path: a b}}]
  say: Va bene "no"  # aside
- user: Ciao
-
  - 1
  - [[], [x]]
last:
  - {a: 1}
`;

/** What trips a reader of YAML, laid anywhere into ordinary text. */
const TRAPS = [
  ..." #:,[]{}-\"'\\\n&*!|>?%@`~\t\r=.+0",
  ..."  |\n  |\n    | #|  # c|: |- |''|\\n|\\u00e9|\\ud83d|x: 1|&a|*a|!t|null|True|~|007|1.10|1e3"
    .split("|"),
  ..."-0|+3|0x1f|.5|.inf|<a>|é|😀|---|...|a: b|{a: b}|[a, b]|\"q\"|'s'|<<|__proto__|version|id: 2"
    .split(
      "|",
    ),
];

const spoilt = fc.tuple(
  fc.nat(20),
  fc.integer({ min: 1, max: 20 }),
  fc.array(fc.tuple(fc.nat(400), fc.constantFrom(...TRAPS), fc.nat(2)), { maxLength: 4 }),
).map(([from, count, edits]) => {
  let text = ORDINARY.split("\n").slice(from, from + count).join("\n");
  for (const [place, trap, removed] of edits) {
    const at = place % (text.length + 1);
    text = text.slice(0, at) + trap + text.slice(at + removed);
  }
  return text;
});

function assertSamePlaces(quick: SourceFile, full: SourceFile, path: KeyPath, value: Json): void {
  const [mine, other] = [quick.at(path), full.at(path)];
  assert.equal(mine?.kind, other?.kind);
  assert.equal(mine?.span.start, other?.span.start);
  if (mine?.kind !== "blocks") assert.deepEqual(mine, other);
  assert.deepEqual(quick.key(path), full.key(path));
  for (const aim of ["key", "value"] as const) {
    assert.deepEqual(spanOf(quick, path, aim), spanOf(full, path, aim));
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => assertSamePlaces(quick, full, [...path, index], item));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      assertSamePlaces(quick, full, [...path, key], item);
    }
  }
}

/** True where the quick parser read the text. */
function compare(text: string): boolean {
  const quick = quickYaml("f", text);
  if (quick === null) return false;
  const { source, problems } = parseYaml("f", text);
  assert.deepEqual(problems, []);
  assert.ok(source !== null);
  assert.deepEqual(source.odd, []);
  assert.deepEqual(quick.value, source.value);
  assertSamePlaces(quick, source, [], quick.value);
  return true;
}

Deno.test("quickYaml() reads what hand-written files are made of as parseYaml() does", () => {
  assert.ok(compare(ORDINARY));
});

Deno.test("quickYaml() agrees with parseYaml() on every text that it reads", () => {
  let read = 0;
  fc.assert(
    fc.property(spoilt, (text) => {
      if (compare(text)) read++;
    }),
    { seed: SEED, numRuns: 3000 },
  );
  assert.ok(read > 300, `only ${read} of 3000 texts were read`);
});

Deno.test("quickYaml() leaves to parseYaml() whatever needs a word", () => {
  const texts = [
    "",
    "a",
    "- a\n",
    "a: &b 1\n",
    "a: *b\n",
    "a: !t 1\n",
    "a: |\n  b\n",
    "a: b\n  c\n",
    "a: 007\n",
    "version: 1.10\n",
    "a: 1e3\n",
    "a: b # c\n",
    "a: 1\na: 2\n",
    "{a: 1}\n",
    "a: {b}\n",
    "a: [b,\nc]\n",
    "a: b: c\n",
    "a:\n",
    "a:\tb\n",
    "a: b\r\n",
    "%YAML 1.1\n---\na: b\n",
    "__proto__: 1\n",
    "a: 12345678901234567890\n",
  ];
  for (const text of texts) assert.equal(quickYaml("f", text), null, JSON.stringify(text));
});
