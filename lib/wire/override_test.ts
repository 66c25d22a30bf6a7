import assert from "node:assert/strict";
import fc from "fast-check";
import { blockedTrailer, messageLines, readBlocked, withBlocked } from "./commit_message.ts";
import { overrideLines, readOverride } from "./override.ts";
import { isPlaceholder } from "./placeholder.ts";

interface Vector {
  readonly id: string;
  readonly input: { readonly message: string };
  readonly expected: { readonly reasons: readonly string[]; readonly empty: number };
}

const vectors: Vector[] = JSON.parse(
  Deno.readTextFileSync(new URL("../../testdata/vectors/override.json", import.meta.url)),
);
const ANNA = { at: "2026-11-30T23:40:00+01:00", email: "anna@example.test" };

for (const { id, input, expected } of vectors) {
  Deno.test(`overrideLines() reads ${id}`, () => {
    const { reasons, empty } = overrideLines(input.message);
    assert.deepEqual({ reasons, empty }, expected);
  });
}

Deno.test("readOverride() gives reason, last day and a stable id", () => {
  const message = "Subject\n\neval-override: The hub is\n  being replaced\neval-override: twice\n";
  const read = readOverride(message, ANNA);
  assert.equal(read.kind, "valid");
  if (read.kind !== "valid") return;
  assert.deepEqual({ ...read.override, id: "" }, {
    id: "",
    reason: "The hub is being replaced; twice",
    until: "2026-12-14",
    date: "2026-11-30",
    by: "anna@example.test",
  });
  const moved = { ...ANNA, at: "2026-11-30T22:40:00Z" };
  const again = readOverride(`Other subject\n\n${message.slice(9)}`, moved);
  assert.equal(again.kind === "valid" && again.override.id, read.override.id);
  const other = readOverride(message, { ...ANNA, email: "bo@example.test" });
  assert.notEqual(other.kind === "valid" && other.override.id, read.override.id);
});

Deno.test("readOverride() refuses what is no reason or no sane end, and finds none where there is none", () => {
  const cases: readonly (readonly [string, readonly string[] | "valid" | "none"])[] = [
    ["s\n", "none"],
    ["eval-override-until: 2026-12-01\n", "none"],
    ["eval-override:\n", ["empty"]],
    ["eval-override: good cause\neval-override:\n", ["empty"]],
    ["eval-override: <reason>\n", ["placeholder"]],
    ["eval-override: \u200b\u202e\n", ["empty"]],
    ["eval-override: good cause\neval-override-until: 2026-12-20\n", "valid"],
    ["eval-override: good cause\nEval-Override-Until: 2026-11-30\n", "valid"],
    ["eval-override: good cause\neval-override-until: soon\n", ["until_unreadable"]],
    ["eval-override: good cause\neval-override-until: 2026-02-30\n", ["until_unreadable"]],
    [
      "eval-override: good cause\neval-override-until: 2026-12-01\neval-override-until: 2026-12-02\n",
      ["until_unreadable"],
    ],
    ["eval-override: good cause\neval-override-until: 2026-11-29\n", ["until_past"]],
    ["eval-override: good cause\neval-override-until: 2027-02-28\n", "valid"],
    ["eval-override: good cause\neval-override-until: 2027-03-01\n", ["until_too_far"]],
    ["eval-override: ...\neval-override-until: 2099-01-01\n", ["placeholder", "until_too_far"]],
  ];
  for (const [message, wanted] of cases) {
    const read = readOverride(message, ANNA);
    assert.deepEqual(read.kind === "refused" ? read.faults : read.kind, wanted, message);
  }
});

Deno.test("isPlaceholder() refuses words that give no reason, and takes reasons", () => {
  for (
    const text of [
      ..."<reason> [motivo] {reason} reason Reason. MOTIVO ... … todo TODO: n/a"
        .split(
          " ",
        ),
      "<why this ships>",
      "your reason here",
      "xxx",
      "aaa",
      "ok",
      "$REASON",
      "no",
      "12345",
      "fix",
      "temp",
      "wip",
      ".",
      "TODO: later",
      "Temp fix, will do it later",
      "Correggo dopo",
      "Per ora solo un hotfix",
    ]
  ) assert.ok(isPlaceholder(text), text);
  for (
    const text of [
      "flaky net",
      "The supplier's firmware is late",
      "Contratto ACME",
      "BUG-123: hub",
      "fix the hub later",
      "Demo",
    ]
  ) assert.ok(!isPlaceholder(text), text);
});

Deno.test("messageLines() honours other comment characters and always cuts at the scissors", () => {
  const message =
    "s\n; eval\n# kept\n; ------------------------ >8 ------------------------\ndiff\n";
  assert.deepEqual(messageLines(message, ";"), ["s", "# kept"]);
  assert.deepEqual(messageLines(message), ["s", "; eval"]);
  assert.deepEqual(messageLines(message, "auto"), ["s"]);
});

Deno.test("withBlocked() writes one trailer that readBlocked() reads, wherever the message ends", () => {
  const blocked = {
    rules: ["no-forbidden", "task-success"],
    scenarios: ["d07-lights"],
    report: `sha256:${"a".repeat(64)}`,
  };
  const line = blockedTrailer(blocked);
  const cases: readonly (readonly [string, string])[] = [
    ["subject", `subject\n\n${line}\n`],
    ["subject\n", `subject\n\n${line}\n`],
    ["Fix: subject\n", `Fix: subject\n\n${line}\n`],
    ["s\n\nbody\n\nSigned-off-by: A\n", `s\n\nbody\n\nSigned-off-by: A\n${line}\n`],
    [`s\n\n${line}\nSigned-off-by: A\n`, `s\n\nSigned-off-by: A\n${line}\n`],
    ["s\n\n# comment\n", `s\n\n${line}\n\n# comment\n`],
    [
      "s\n# ------------------------ >8 ------------------------\nEval-Blocked: x\n",
      `s\n\n${line}\n\n# ------------------------ >8 ------------------------\nEval-Blocked: x\n`,
    ],
  ];
  for (const [message, wanted] of cases) {
    const written = withBlocked(message, blocked);
    assert.equal(written, wanted);
    assert.deepEqual(readBlocked(written), blocked);
    assert.equal(withBlocked(written, blocked), written);
    assert.equal(readBlocked(withBlocked(written, null)), null);
  }
  assert.equal(readBlocked("Eval-Blocked: a; b; sha256:short\n"), null);
  assert.equal(readBlocked(`Eval-Blocked: <b>; b; ${blocked.report}\n`), null);
  assert.deepEqual(readBlocked(`Eval-Blocked: a; ; ${blocked.report}\n`)?.scenarios, []);
});

Deno.test("readOverride() never throws, and what it gives is one clean line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const read = readOverride(`s\n\neval-override: ${text}\n`, ANNA);
      if (read.kind !== "valid") return;
      // deno-lint-ignore no-control-regex
      assert.ok(!/[\u0000-\u001f\u202a-\u202e\u200b]/.test(read.override.reason));
    }),
    { seed: 4, numRuns: 500 },
  );
});

Deno.test("readOverride() asks whether it holds today, where it is told the day", () => {
  const read = (at: string, today?: string) => {
    const reading = readOverride(
      "x\n\neval-override: The hub is old",
      { at, email: "a@b" },
      "#",
      today,
    );
    return reading.kind === "refused" ? reading.faults.join() : reading.kind;
  };
  assert.equal(read("2026-10-01T10:00:00Z"), "valid");
  assert.equal(read("2026-10-01T10:00:00Z", "2026-10-15"), "valid");
  assert.equal(read("2026-10-01T10:00:00Z", "2026-10-16"), "until_past");
  assert.equal(read("2099-01-01T10:00:00Z", "2026-10-01"), "until_too_far");
});

Deno.test("readOverride() reads a line that holds a separator of another kind", () => {
  const lines = overrideLines("x\n\neval-override: The hub\u2028is old");
  assert.deepEqual(lines.reasons, ["The hub is old"]);
});
