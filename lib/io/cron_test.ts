import assert from "node:assert/strict";
import { realCron } from "./cron.ts";

interface Vector {
  readonly id: string;
  readonly input: {
    readonly tz?: string;
    readonly expr?: string;
    readonly from?: string;
    readonly n?: number;
  };
  readonly expected: readonly string[];
}

const VECTORS: readonly Vector[] = JSON.parse(
  Deno.readTextFileSync(new URL("../../testdata/vectors/cron.json", import.meta.url)),
);
const ROME = "Europe/Rome";
const job = (cron: string, zone = ROME) => ({ name: "job", cron, zone });
const noEvents = { due: () => Promise.resolve(), overlap: () => {}, missed: () => {} };

Deno.test("next() gives the times of Europe/Rome through both changes of the clocks", async (test) => {
  const cron = realCron();
  for (const { id, input, expected } of VECTORS) {
    if (input.expr === undefined || input.from === undefined) continue;
    await test.step(id, async () => {
      const times = await cron.next(job(input.expr ?? ""), input.from ?? "", input.n ?? 1);
      assert.deepEqual(times, expected);
    });
  }
});

Deno.test("next() finds a change of the clocks of Europe/Rome on exactly the days that are known", async () => {
  const transitions = VECTORS.find(({ id }) => id === "cron_transitions")?.expected ?? [];
  const times = await realCron().next(job("0 12 * * *"), "2025-12-31T12:00:00Z", 1796);
  const found = times.flatMap((time, index) => {
    const before = times[index - 1];
    const gap = before === undefined ? 24 : (Date.parse(time) - Date.parse(before)) / 3_600_000;
    return gap === 24 ? [] : [time.slice(0, 10)];
  });
  assert.deepEqual(found, transitions);
});

Deno.test("newest() gives the newest time, none before `since`, and none where there is none", async () => {
  const cron = realCron();
  const rows: readonly (readonly [string, string, string, string | null])[] = [
    // The time itself counts, a moment before it does not.
    ["30 2 * * 5", "2026-11-01T00:00:00Z", "2026-12-04T01:30:00.000Z", "2026-12-04T01:30:00.000Z"],
    ["30 2 * * 5", "2026-11-01T00:00:00Z", "2026-12-04T01:29:59.999Z", "2026-11-27T01:30:00.000Z"],
    ["30 2 * * 5", "2026-11-27T01:30:00Z", "2026-12-04T01:29:59.999Z", null],
    ["30 2 * * 5", "2026-12-05T00:00:00Z", "2026-12-04T01:31:00.000Z", null],
    // The day that lacks the time; the time that comes twice.
    ["30 2 * * *", "2027-01-01T00:00:00Z", "2027-03-28T12:00:00.000Z", "2027-03-27T01:30:00.000Z"],
    ["30 2 * * *", "2027-01-01T00:00:00Z", "2027-10-31T01:00:00.000Z", "2027-10-30T00:30:00.000Z"],
    ["30 2 * * *", "2027-01-01T00:00:00Z", "2027-10-31T02:00:00.000Z", "2027-10-31T01:30:00.000Z"],
    ["* * * * * *", "2020-01-01T00:00:00Z", "2026-12-04T01:30:07.500Z", "2026-12-04T01:30:07.000Z"],
    ["0 0 29 2 *", "1970-01-01T00:00:00Z", "2027-12-04T00:00:00.000Z", "2024-02-28T23:00:00.000Z"],
  ];
  for (const [text, since, at, expected] of rows) {
    assert.equal(await cron.newest(job(text), since, at), expected, `${text} at ${at}`);
  }
  assert.ok(Math.abs(Date.now() - new Date().getTime()) < 1000, "the present is given back");
});

Deno.test("watch() tells each time, never a job twice at once, and goes on after one that throws", async () => {
  const ending = new AbortController();
  const told: string[] = [];
  let going = 0;
  let most = 0;
  let overlaps = 0;
  const watching = realCron().watch(
    [{ ...job("* * * * * *"), name: "slow" }, { ...job("* * * * * *"), name: "broken" }],
    {
      ...noEvents,
      due: async (name, at) => {
        told.push(`${name} ${at}`);
        if (name === "broken") throw new Error("no");
        most = Math.max(most, ++going);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        going--;
      },
      overlap: () => overlaps++,
    },
    ending.signal,
  );
  await new Promise((resolve) => setTimeout(resolve, 4300));
  ending.abort();
  await watching;
  await new Promise((resolve) => setTimeout(resolve, 1600));
  const of = (name: string) => told.filter((each) => each.startsWith(name));
  assert.ok(of("broken").length >= 3, told.join());
  assert.ok(of("slow").length >= 2, told.join());
  assert.equal(most, 1);
  assert.ok(overlaps >= 1);
  assert.equal(new Set(told).size, told.length);
  assert.ok(told.every((each) => each.endsWith(".000Z")), "the time of the schedule is told");
});

Deno.test("watch() refuses a zone that is none", async () => {
  const never = new AbortController().signal;
  await assert.rejects(realCron().watch([job("0 0 * * *", "Mars/Base")], noEvents, never));
});
