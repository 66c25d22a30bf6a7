import assert from "node:assert/strict";
import fc from "fast-check";
import { cleanText } from "../model/clean.ts";
import type { LedgerRow } from "../model/ledger.ts";
import {
  compareLedger,
  LEDGER_HEADER,
  type LedgerEntry,
  mergeLedger,
  projectLedger,
  renderLedger,
} from "../report/ledger.ts";
import { parseLedger } from "./ledger.ts";

const SEED = 4;

function newEntry(over: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    sha: "1".repeat(40),
    id: "0123456789ab",
    date: "2026-11-20",
    kind: "override",
    rules: ["task-success"],
    scenarios: ["d07-lights"],
    reason: "The hub is late",
    until: "2026-12-04",
    by: "anna@example.test",
    ...over,
  };
}

const rowsIn = (text: string) => {
  const { rows, problems } = parseLedger("regressions.md", text);
  assert.deepEqual(problems, []);
  return rows;
};

const hex = (length: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
const id = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
const reason = fc.string({ unit: "binary", maxLength: 500 }).map(cleanText)
  .filter((text) => text !== "");
const entries = fc.array(
  fc.record({
    sha: hex(40),
    id: fc.constantFrom("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"),
    date: fc.constantFrom("2026-11-01", "2026-11-02"),
    kind: fc.constantFrom("override" as const, "override" as const),
    rules: fc.array(id, { maxLength: 3 }),
    scenarios: fc.array(id, { maxLength: 3 }),
    reason,
    until: fc.constantFrom("2026-12-01", "2026-12-02"),
    by: reason,
  }),
  { maxLength: 12 },
);

Deno.test("renderLedger() gives back what parseLedger() reads, whatever the reasons hold", () => {
  fc.assert(
    fc.property(entries, (all) => {
      const text = renderLedger(LEDGER_HEADER, projectLedger(all));
      const { header } = parseLedger("regressions.md", text);
      assert.equal(
        renderLedger(header ?? "", mergeLedger([], rowsIn(text))).replaceAll(
          "| rewritten |",
          "| reachable |",
        ),
        text,
      );
    }),
    { seed: SEED, numRuns: 200 },
  );
});

Deno.test("projectLedger() and mergeLedger() give the same bytes twice and in any order", () => {
  fc.assert(
    fc.property(entries, entries, fc.integer({ min: 0, max: 12 }), (all, gone, cut) => {
      const sync = (commits: LedgerEntry[], text: string) =>
        renderLedger(LEDGER_HEADER, mergeLedger(projectLedger(commits), rowsIn(text)));
      const empty = renderLedger(LEDGER_HEADER, []);
      const first = sync(all, sync(gone, empty));
      assert.equal(sync(all, first), first);
      assert.equal(sync(all.toReversed(), first), first);
      const [left, right] = [all.slice(0, cut), all.slice(cut)];
      const lines = (text: string) => text.split("\n").slice(4).filter((line) => line !== "");
      const [ofLeft, ofRight] = [lines(sync(left, empty)), lines(sync(right, empty))];
      const union = (a: string[], b: string[]) =>
        `${empty}${[...a, ...b].map((l) => `${l}\n`).join("")}`;
      assert.equal(sync(all, union(ofLeft, ofRight)), sync(all, union(ofRight, ofLeft)));
      assert.equal(sync(all, union(ofLeft, ofRight)), sync(all, empty));
    }),
    { seed: SEED, numRuns: 200 },
  );
});

Deno.test("mergeLedger() keeps rows of commits that are gone, and marks them", () => {
  const before = projectLedger([newEntry(), newEntry({ id: "99999999", sha: "9".repeat(40) })]);
  const after = mergeLedger(projectLedger([newEntry({ sha: "2".repeat(40) })]), before);
  assert.deepEqual(after.map(({ commits, git }) => [commits, git]), [
    [["222222222222", "111111111111"], "rewritten: 111111111111"],
    [["999999999999"], "rewritten"],
  ]);
  const back = mergeLedger(projectLedger([newEntry()]), after.slice(0, 1));
  assert.deepEqual(back[0]?.commits, ["111111111111", "222222222222"]);
});

Deno.test("compareLedger() tells what is missing, what may come, what differs and what moved", () => {
  const one = newEntry();
  const two = newEntry({ id: "22222222", sha: "2".repeat(40) });
  const file = projectLedger([one]);
  const step = (inFile: LedgerRow[], commits: LedgerEntry[], pending: string[]) => {
    const { missing, pending: soon, differing, moved } = compareLedger(
      inFile,
      projectLedger(commits),
      new Set(pending),
    );
    return [missing.length, soon.length, differing.length, moved.length];
  };
  assert.deepEqual(step(file, [one], []), [0, 0, 0, 0]);
  assert.deepEqual(step(file, [one, two], []), [1, 0, 0, 0]);
  assert.deepEqual(step(file, [one, two], [two.sha]), [0, 1, 0, 0]);
  assert.deepEqual(step(file, [{ ...one, until: "2027-01-01" }], []), [0, 0, 1, 0]);
  assert.deepEqual(step(file, [{ ...one, sha: "3".repeat(40) }], []), [0, 0, 0, 1]);
});

Deno.test("parseLedger() refuses what is no row, at its line, and keeps the header", () => {
  const good = renderLedger("# Ours\n\nRead [this](x).\n\n", projectLedger([newEntry()]));
  const { header, rows, problems } = parseLedger("regressions.md", good);
  assert.equal(header, "# Ours\n\nRead [this](x).\n\n");
  assert.deepEqual(problems, []);
  assert.equal(rows[0]?.by, "anna@example.test");
  assert.deepEqual(parseLedger("regressions.md", good.replaceAll("\n", "\r\n")).rows, rows);
  const row = good.split("\n").at(-2) ?? "";
  const cases: readonly (readonly [string, RegExp])[] = [
    ["<<<<<<< HEAD", /no row/],
    [row.replace("| task-success", "| x | task-success"), /11 cells/],
    [row.replace("0123456789ab", "xyz"), /"id"/],
    [row.replace("2026-11-20", "2026-02-30"), /no day/],
    [row.replace("| override", "| gift"), /"kind"/],
    [row.replace("111111111111", "HEAD"), /no commit/],
    [row.replace("task-success", "Task Success"), /no id/],
    [row.replace("2026-12-04", ""), /no last day/],
    [row.replace("reachable", "maybe"), /"maybe"/],
    [row.replace("The hub is late", ""), /"reason"/],
  ];
  for (const [line, wanted] of cases) {
    const { problems } = parseLedger("regressions.md", `${good}${line}\n`);
    assert.equal(problems.length, 1, line);
    assert.match(problems[0]?.what ?? "", wanted);
    assert.equal(problems[0]?.line, 8, line);
  }
  assert.equal(parseLedger("regressions.md", "# Nothing\n").header, null);
});
