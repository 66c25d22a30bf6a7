import assert from "node:assert/strict";
import { join } from "node:path";
import { newOutcome, newRun } from "../../testdata/history/sample_runs.ts";
import type { HistoryRun } from "../model/history.ts";
import { realHistories } from "./history.ts";

const histories = realHistories(new AbortController().signal);
const SUCCESS = { metric: "taskSuccess", task: null } as const;

async function inFolder(use: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "history of runs " });
  try {
    await use(join(folder, "reports/history.sqlite"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function kept(path: string): Promise<string[]> {
  const file = await histories.open(path, true);
  try {
    return file.points("live", SUCCESS).map(({ time }) => time.slice(8, 10));
  } finally {
    file.close();
  }
}

async function put(path: string, runs: readonly HistoryRun[]): Promise<string | null> {
  const file = await histories.open(path, false);
  file.put(runs);
  file.close();
  return file.renewed;
}

Deno.test("history gives back what was put in: figures by task, outcomes of the last runs, by time", async () => {
  await inFolder(async (path) => {
    const odd = 'a "task", with.dots';
    const byTask = { [odd]: { ...newRun(1).metrics.overall, taskSuccess: 0.25 } };
    const runs = [
      newRun(3, { metrics: { ...newRun(1).metrics, byTask }, whole: false, commit: null }),
      newRun(1),
      newRun(2, { evidence: "self_test", mode: "replay" }),
      newRun(4, {
        scenarios: [newOutcome({ cost: null, passed: 1, failed: 2 }), newOutcome({ id: "b" })],
      }),
    ];
    const file = await histories.open(path, true);
    file.put(runs, ["reports/runs/broken"]);
    assert.equal(file.renewed, null);
    assert.deepEqual(file.counts(), { live: 3, recorded: 0, self_test: 1 });
    assert.ok(file.folders().has("reports/runs/broken"));
    assert.equal(file.folders().size, 5);
    const points = file.points("live", { metric: "taskSuccess", task: odd });
    assert.deepEqual(points.map(({ value }) => value), [null, 0.25, null]);
    assert.deepEqual(points.map(({ whole }) => whole), [true, false, true]);
    assert.deepEqual(points.map(({ commit }) => commit?.length ?? null), [40, null, 40]);
    assert.deepEqual(points[0]?.headline, newRun(1).headline);
    const [first, ...rest] = file.outcomes("live", 2);
    const { folder, time, currency, commit, agent, model } = runs[0]!;
    assert.deepEqual(first, { ...newOutcome(), folder, time, currency, commit, agent, model });
    assert.deepEqual(rest.map(({ id, cost, failed }) => [id, cost, failed]), [
      ["d04-backup-ran", null, 2],
      ["b", 0.01, 0],
    ]);
    file.put([newRun(1, { verdict: "block", scenarios: [] })]);
    assert.deepEqual(file.points("live", SUCCESS).map(({ verdict }) => verdict), [
      "block",
      "pass",
      "pass",
    ]);
    assert.equal(file.outcomes("live", 9).length, 3, "a run that is put again is replaced");
    file.close();
  });
});

Deno.test("history puts a file aside that is damaged, cut short or of an older shape, and refuses a newer one", async () => {
  await inFolder(async (path) => {
    assert.equal(await put(path, Array.from({ length: 20 }, (_, i) => newRun(i + 1))), null);
    const whole = await Deno.readFile(path);
    const damages: readonly (readonly [string, Uint8Array])[] = [
      ["garbage", new TextEncoder().encode("what is this?\n".repeat(400))],
      ["half", whole.slice(0, whole.length >> 1)],
      ["a page in the middle", whole.map((byte, at) => at >= 8192 && at < 12288 ? 255 : byte)],
    ];
    for (const [name, bytes] of damages) {
      await Deno.writeFile(path, bytes);
      const file = await histories.open(path, true);
      assert.equal(file.renewed, "damaged", name);
      assert.deepEqual(file.points("live", SUCCESS), [], name);
      file.put([newRun(7)]);
      file.close();
      assert.deepEqual(await kept(path), ["07"], name);
      assert.equal(
        (await Deno.readFile(path.replace(".sqlite", ".old.sqlite"))).length,
        bytes.length,
      );
    }
    await Deno.writeFile(path, new Uint8Array());
    assert.equal(await put(path, []), null, "an empty file is a new one");
    for (const [version, renewed] of [[0, "older"], [2, null]] as const) {
      const { DatabaseSync } = await import("node:sqlite");
      const database = new DatabaseSync(path);
      database.exec(`CREATE TABLE IF NOT EXISTS other (a); PRAGMA user_version = ${version}`);
      database.close();
      if (renewed === null) await assert.rejects(histories.open(path, true), /newer version/);
      else assert.equal(await put(path, [newRun(1)]), renewed);
    }
    await Deno.remove(path);
    await Deno.mkdir(path);
    await assert.rejects(histories.open(path, true), /Cannot open history/);
  });
});

Deno.test("history takes what several processes write at once, also into a file that all find damaged", async () => {
  const module = new URL("./history.ts", import.meta.url).href;
  const writer = (path: string, first: number) =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        `data:text/javascript,${
          encodeURIComponent(`
        const { realHistories } = await import(${JSON.stringify(module)});
        const histories = realHistories(new AbortController().signal);
        for (const run of ${JSON.stringify([0, 1, 2, 3, 4].map((n) => newRun(first + n)))}) {
          const file = await histories.open(${JSON.stringify(path)}, true);
          file.put([run]);
          file.close();
        }`)
        }`,
      ],
    }).output();
  await inFolder(async (path) => {
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, "no database at all ".repeat(100));
    const ended = await Promise.all([1, 6, 11, 16].map((first) => writer(path, first)));
    for (const { code, stderr } of ended) {
      assert.equal(code, 0, new TextDecoder().decode(stderr));
    }
    assert.equal((await kept(path)).length, 20);
  });
});
