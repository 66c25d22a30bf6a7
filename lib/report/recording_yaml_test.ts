/** Does a recording read as it was written, whatever a model said? And is a difference told by its turns? */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { parseYaml } from "../load/yaml.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { type Recording, recordingFile } from "../model/recording.ts";
import { recordingDifference } from "./recording_diff.ts";
import { recordingYaml } from "./recording_yaml.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("yes", "on", "null", "true", "1e3", "0x1f", "- a", "a: b", "a #b", "~", "{x}"),
  fc.constantFrom("\u0085", "\u2028", "\ufeff", "\u007f", "\ud800", "C-1043", "via Po 12, \u00e8"),
);
const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom("on", "y", "a"),
)
  .filter((key) => key !== "__proto__");
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((n) => !Object.is(n, -0) && (!Number.isInteger(n) || Number.isSafeInteger(n)));
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value;
const args = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<
  JsonObject
>;
const word = text.filter((said) => said !== "");
const turn = fc.oneof(
  fc.record({ user: word }),
  fc.record({ say: text }),
  fc.record({
    say: text,
    calls: fc.array(fc.record({ tool: word, args }), { minLength: 1, maxLength: 3 }),
    thinking: text,
    stop: fc.constant("calls"),
    latencyMs: fc.nat(),
    usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
  }, { requiredKeys: ["calls"] }),
);

Deno.test("recordingYaml() reads back as it was, on lines of their own, for any text", () => {
  const recording = fc.record({
    origin: fc.constant("recorded" as const),
    model: word,
    fails: fc.array(word, { minLength: 1, maxLength: 2 }),
    turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  });
  fc.assert(
    fc.property(recording, (written) => {
      const file = recordingYaml(written);
      const { source, problems } = parseYaml("r.yaml", file);
      deepEqual(problems, [], file);
      deepEqual(recordingFile.parse(source?.value), written, file);
      ok(!/(?!\n)\p{Cc}|\p{Zl}|\p{Zp}|\ufeff/u.test(file));
    }),
    { numRuns: 300, seed: 20261201 },
  );
});

Deno.test("recordingDifference() tells the fewest turns, and other facts where the turns are the same", () => {
  const call = (tool: string, digest?: string) => ({
    calls: [{ tool, args: { n: 1 }, ...(digest === undefined ? {} : { digest }) }],
  });
  const old: Recording = {
    origin: "recorded",
    system: "sha256:a",
    turns: [{ user: "Hello" }, call("look", "sha256:1"), call("write"), { say: "Done" }],
  };
  const turns = [{ user: "Hello" }, call("look"), call("ask"), call("write"), { say: "Ready" }];
  deepEqual(recordingDifference(old, { ...old, turns }), {
    turns: [
      { sign: "+", turn: 3, text: 'ask({"n":1})' },
      { sign: "-", turn: 4, text: 'say "Done"' },
      { sign: "+", turn: 5, text: 'say "Ready"' },
    ],
    facts: [],
  });
  const byHand: Recording = { origin: "handmade", turns: old.turns.slice(1) };
  deepEqual(
    recordingDifference(byHand, old),
    { turns: [], facts: [] },
    "by hand nobody need speak",
  );
  const other = { ...old, system: "sha256:b", turns: old.turns.with(1, call("look", "sha256:2")) };
  const { turns: same, facts } = recordingDifference(old, other);
  equal(same.length, 0);
  deepEqual(facts, ["system", "answers"]);
});
