/**
 * Does the schedule keep its word? The whole program as a process of its own, with real jobs: in
 * time, hanging, crashing, killed in the middle, missed; and its timers of the system, with programs
 * in the place of `systemctl` and `crontab`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { realLock } from "../io/lock.ts";
import { type JobAttempt, type JobFile, jobFile } from "../model/job.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LIGHTS = join(ROOT, "testdata/cli/projects/lights");
const DAY_MS = 86_400_000;

/** Where packages lie: HOME is another one in these tests. */
const DENO_DIR: string = JSON.parse(
  new TextDecoder().decode(
    new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync().stdout,
  ),
).denoDir;

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  start(...args: string[]): Running;
  kept(job: string): Promise<JobFile>;
  last(job: string): Promise<JobAttempt>;
  /** Waits until the last try of a job is as it should be. */
  until(job: string, is: (last: JobAttempt) => boolean): Promise<JobAttempt>;
  keep(job: string, file: Partial<JobFile>): Promise<void>;
}

interface Running {
  readonly child: Deno.ChildProcess;
  readonly ended: Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

/** A project with these jobs, each a line of YAML. */
async function inProject(jobs: readonly string[], use: (place: Place) => Promise<void>) {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "collaudo schedule " }));
  await copyFolder(LIGHTS, folder);
  const config = await Deno.readTextFile(join(folder, "collaudo.yaml"));
  const lines = jobs.map((job) => `    - ${job}\n`).join("");
  await Deno.writeTextFile(
    join(folder, "collaudo.yaml"),
    `${config.trimEnd()}\nschedule:\n  jobs:\n${lines}`,
  );
  const started: Deno.ChildProcess[] = [];
  const env: Record<string, string> = { NO_COLOR: "1", INIT_CWD: "", HOME: folder, DENO_DIR };
  const pathOf = (job: string) => join(folder, "reports/schedule", `${job}.json`);
  const place: Place = {
    folder,
    env,
    start: (...args) => {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-prompt", "--cached-only", join(ROOT, "main.ts"), ...args],
        cwd: folder,
        env,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      started.push(child);
      return { child, ended: endOf(child) };
    },
    kept: async (job) => jobFile.parse(JSON.parse(await Deno.readTextFile(pathOf(job)))),
    last: async (job) => {
      const { last } = await place.kept(job);
      if (last === null) throw new Error(`${job} was never tried`);
      return last;
    },
    until: async (job, is) => {
      for (let n = 0; n < 600; n++) {
        const last = await place.last(job).catch(() => null);
        if (last !== null && is(last)) return last;
        await new Promise((done) => setTimeout(done, 50));
      }
      throw new Error(`${job} is not as it should be: ${JSON.stringify(await place.kept(job))}`);
    },
    keep: async (job, file) => {
      const whole = { schema: "collaudo/job@1", job, zone: "Europe/Rome", command: [], ...file };
      await Deno.mkdir(join(folder, "reports/schedule"), { recursive: true });
      await Deno.writeTextFile(pathOf(job), JSON.stringify(whole));
    },
  };
  try {
    await use(place);
  } finally {
    for (const child of started) {
      try {
        child.kill("SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
    await Promise.all(started.map((child) => child.status));
    await Deno.remove(folder, { recursive: true });
  }
}

async function endOf(child: Deno.ChildProcess) {
  const text = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
  const [out, err, { code }] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.status,
  ]);
  return { code, out, err };
}

function ago(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

const WEEKLY = "30 2 * * 5";
const missed = { cron: WEEKLY, since: ago(20), last: null, succeeded: null };
const QUICK = "command: [baseline, list]";

/** A model that never answers, or refuses at once. */
interface FakeModel {
  silent: boolean;
  readonly asked: Promise<void>;
}

async function withModel(place: Place, use: (model: FakeModel) => Promise<void>) {
  const ending = new AbortController();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const model = { silent: true, asked };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: ending.signal },
    (request) => {
      resolve();
      if (!model.silent) return new Response("{}", { status: 401 });
      return new Promise((answer) =>
        request.signal.addEventListener("abort", () => answer(new Response("{}")))
      );
    },
  );
  place.env["LLM_BASE_URL"] = `http://127.0.0.1:${server.addr.port}/v1`;
  place.env["LLM_API_KEY"] = KEY;
  await patient(place.folder);
  try {
    await use(model);
  } finally {
    ending.abort();
    await server.finished;
  }
}

const KEY = "plain-words-that-open-the-door-4471";

async function patient(folder: string): Promise<void> {
  const path = join(folder, "collaudo.yaml");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replaceAll(/timeout_s: 5\b/g, "timeout_s: 500"));
}

Deno.test("schedule starts jobs at their times, keeps their outcomes, ends cleanly on SIGTERM", () =>
  inProject([
    `{name: quick, cron: "* * * * * *", ${QUICK}}`,
    '{name: eval, cron: "* * * * * *", command: [run, --only=light-on]}',
    '{name: wrong, cron: "* * * * * *", command: [run, --only=nothing-of-this-name]}',
  ], async (place) => {
    const { child, ended } = place.start("schedule");
    const quick = await place.until("quick", (last) => last.outcome === "completed");
    assert.equal(quick.exitCode, 0);
    assert.match(quick.due, /\.000Z$/);
    const wrong = await place.until("wrong", ({ outcome }) => outcome === "failed");
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.said ?? "", /nothing-of-this-name/);
    await place.until("eval", (last) => last.outcome === "completed");
    const done = (await place.kept("eval")).succeeded;
    assert.equal(done?.decision, "pass");
    assert.match(done?.report ?? "", /^reports\/runs\/.*-eval(-\d+)?\/report\.json$/);
    await Deno.stat(join(place.folder, done?.report ?? ""));
    child.kill("SIGTERM");
    const { code, err } = await ended;
    assert.ok(code === 0 || code === 130, `${code} ${err}`);
    assert.doesNotMatch(err, /uncaught|NODE-CRON/i);
    for (const job of ["quick", "eval", "wrong"]) {
      assert.notEqual((await place.last(job)).outcome, "running", job);
    }
  }));

Deno.test("schedule ends a job that hangs at its time limit; the next job is done all the same", () =>
  inProject([
    `{name: hangs, cron: "${WEEKLY}", command: [run, --mode, live], timeout_s: 6}`,
    `{name: quick, cron: "31 2 * * 5", ${QUICK}}`,
  ], (place) =>
    withModel(place, async ({ asked }) => {
      await place.keep("hangs", missed);
      await place.keep("quick", { ...missed, cron: "31 2 * * 5" });
      const { code } = await place.start("schedule", "--once").ended;
      await asked;
      assert.equal(code, 3);
      const hangs = await place.last("hangs");
      assert.equal(hangs.outcome, "timeout");
      assert.equal((await place.kept("hangs")).succeeded, null);
      const quick = await place.last("quick");
      assert.equal(quick.outcome, "completed");
      assert.ok(quick.started >= (hangs.ended ?? ""), "the later time waits for the earlier one");
      assert.ok(await lockIsFree(place, false), "nothing of the job is left");
    })));

async function lockIsFree({ folder }: Place, wait: boolean): Promise<boolean> {
  const lock = await realLock(AbortSignal.timeout(10_000))
    .acquire(join(folder, "reports/.lock"), wait);
  lock?.release();
  return lock !== null;
}

Deno.test("schedule killed in the middle of a job: the job ends, counts as crashed, is caught up", () =>
  inProject(
    [`{name: eval, cron: "${WEEKLY}", command: [run, --mode, live]}`],
    (place) =>
      withModel(place, async (model) => {
        await place.keep("eval", missed);
        const first = place.start("schedule");
        const begun = await place.until("eval", ({ outcome }) => outcome === "running");
        assert.equal(begun.ended, null);
        await model.asked;
        first.child.kill("SIGKILL");
        await first.child.status;
        assert.ok(await lockIsFree(place, true), "the job ends with the schedule");
        assert.equal((await place.last("eval")).outcome, "running");
        model.silent = false;
        const second = place.start("schedule");
        const ended = await place.until("eval", (last) => last.attempt === 2 && !!last.ended);
        assert.equal(ended.due, begun.due);
        assert.equal(ended.reason, "caught_up");
        assert.deepEqual([ended.outcome, ended.exitCode, ended.decision], ["failed", 3, "error"]);
        assert.ok(!JSON.stringify(await place.kept("eval")).includes(KEY));
        second.child.kill("SIGTERM");
        const { code, err } = await second.ended;
        assert.equal(code, 0);
        assert.match(err, /^eval: crashed: it began .* and its end was never stored$/m);
      }),
  ));

Deno.test("schedule --once catches up what was missed, once, and nothing before it was known", () =>
  inProject([`{name: quick, cron: "${WEEKLY}", ${QUICK}}`], async (place) => {
    const once = () => place.start("schedule", "--once").ended;
    assert.deepEqual(await once(), { code: 0, out: "", err: "" });
    assert.equal((await place.kept("quick")).last, null);
    await place.keep("quick", missed);
    assert.match(
      (await once()).err,
      /^quick: begins \(caught up, due .*\nquick: completed, exit code 0\n$/,
    );
    const { succeeded } = await place.kept("quick");
    assert.equal(new Date(succeeded?.due ?? "").getUTCDay(), 5);
    assert.ok(Date.parse(succeeded?.due ?? "") > Date.now() - 7 * DAY_MS - 3_600_000);
    assert.deepEqual(await once(), { code: 0, out: "", err: "" });
    // Another time counts from now; a file that cannot be used counts as never done.
    await place.keep("quick", { ...missed, cron: "30 3 * * 1" });
    assert.equal((await once()).err, "");
    await Deno.writeTextFile(join(place.folder, "reports/schedule/quick.json"), "{");
    assert.match((await once()).err, /cannot be used[^]*quick: completed/);
  }));

Deno.test("schedule gives up a time after three tries, until the next one", () =>
  inProject(
    [`{name: wrong, cron: "${WEEKLY}", command: [run, --only=none-of-this-name]}`],
    async (place) => {
      await place.keep("wrong", missed);
      for (const n of [1, 2, 3]) {
        assert.equal((await place.start("schedule", "--once").ended).code, 3);
        assert.equal((await place.last("wrong")).attempt, n);
      }
      assert.deepEqual(await place.start("schedule", "--once").ended, {
        code: 0,
        out: "",
        err: "",
      });
    },
  ));

Deno.test("schedule waits for the project's lock, and is one of a project at a time", () =>
  inProject(
    [`{name: eval, cron: "${WEEKLY}", command: [run, --only=light-on]}`],
    async (place) => {
      const lock = await realLock(new AbortController().signal)
        .acquire(join(place.folder, "reports/.lock"), false);
      await place.keep("eval", missed);
      const first = place.start("schedule");
      await place.until("eval", ({ outcome }) => outcome === "running");
      const second = await place.start("schedule").ended;
      assert.equal(second.code, 3);
      assert.match(second.err, /Another schedule of this project is running/);
      assert.equal((await place.start("schedule", "--once").ended).code, 0);
      await new Promise((done) => setTimeout(done, 1000));
      assert.equal((await place.last("eval")).outcome, "running");
      lock?.release();
      await place.until("eval", ({ outcome }) => outcome === "completed");
      first.child.kill("SIGINT");
      assert.equal((await first.ended).code, 0);
    },
  ));

Deno.test("schedule list tells next times, the last outcome and an ALARM, with exit code 0", () =>
  inProject([
    `{name: eval, cron: "${WEEKLY}", ${QUICK}}`,
    `{name: fresh, cron: "30 7 * * 5", ${QUICK}}`,
  ], async (place) => {
    await place.keep("eval", missed);
    const { code, out } = await place.start("schedule", "list").ended;
    assert.equal(code, 0);
    assert.match(out, /^eval {2}"30 2 \* \* 5" Europe\/Rome {2}baseline list$/m);
    assert.match(out, /^ {2}next: Fri,? \d+ \w+ \d{4},? (at )?02:30 (CET|CEST) · /m);
    assert.match(out, /^ {2}ALARM: no success for 20 days$/m);
    assert.match(out, /never begun/);
    assert.equal(out.match(/ALARM/g)?.length, 1);
    const json = JSON.parse((await place.start("schedule", "list", "--json").ended).out);
    assert.deepEqual(json.jobs.map((job: { alarm: boolean }) => job.alarm), [true, false]);
  }));

/** Programs in the place of the system's, which write down what they are asked. */
async function fakePrograms(
  { folder, env }: Place,
  scripts: Readonly<Record<string, string>>,
): Promise<void> {
  const bin = join(folder, "bin");
  await Deno.mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    const text = `#!/bin/sh\necho "${name} $*" >>"$HOME/asked"\n${script}\n`;
    await Deno.writeTextFile(join(bin, name), text, { mode: 0o755 });
  }
  env["PATH"] = `${bin}:${Deno.env.get("PATH")}`;
}

const CRONTAB = `case $1 in
  -l) [ -f "$HOME/tab" ] && cat "$HOME/tab" || { echo "no crontab for me" >&2; exit 1; } ;;
  -) cat >"$HOME/tab" ;;
esac`;

async function analyze(unit: string): Promise<string | null> {
  try {
    const { code, stderr } = await new Deno.Command("systemd-analyze", {
      args: ["verify", "--user", "--man=no", unit, unit.replace(/service$/, "timer")],
      env: { XDG_RUNTIME_DIR: "/tmp" },
    }).output();
    return code === 0 ? "" : new TextDecoder().decode(stderr);
  } catch {
    return null;
  }
}

Deno.test("schedule install writes a unit and a timer, says so, and uninstall takes them away", () =>
  inProject([
    `{name: eval, cron: "${WEEKLY}", ${QUICK}}`,
    `{name: summary, cron: "0,30 7-9 1 1 *", ${QUICK}}`,
  ], async (place) => {
    await fakePrograms(place, { systemctl: "exit 0", crontab: CRONTAB });
    const { code, out, err } = await place.start("schedule", "install").ended;
    assert.equal(code, 0, err);
    const folder = join(place.folder, ".config/systemd/user");
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.equal(names.length, 2);
    for (const name of names) assert.ok(out.includes(`written: ${join(folder, name)}`), out);
    const [service = "", timer = ""] = names;
    const unit = await Deno.readTextFile(join(folder, service));
    assert.ok(unit.includes(`WorkingDirectory=${place.folder}\n`), unit);
    assert.match(unit, /^ExecStart=".*deno" "run" .* "schedule" "--once"$/m);
    const times = await Deno.readTextFile(join(folder, timer));
    assert.match(times, /^OnCalendar=Fri \*-\*-\* 02:30:00 Europe\/Rome$/m);
    assert.match(times, /^OnCalendar=\*-01-01 07,08,09:00,30:00 Europe\/Rome$/m);
    assert.match(times, /^Persistent=true$/m);
    const verified = await analyze(join(folder, service));
    assert.ok(verified === null || verified === "", verified ?? "");
    const asked = await Deno.readTextFile(join(place.folder, "asked"));
    assert.match(asked, new RegExp(`systemctl --user enable --now ${timer}`));
    assert.ok((await place.kept("eval")).since !== "", "what is due counts from now on");
    // Again: the same files. Then somebody else's file is left alone.
    assert.equal((await place.start("schedule", "install").ended).code, 0);
    assert.equal(await Deno.readTextFile(join(folder, service)), unit);
    const gone = await place.start("schedule", "uninstall").ended;
    assert.equal(gone.code, 0, gone.err);
    assert.equal([...Deno.readDirSync(folder)].length, 0);
    assert.match((await place.start("schedule", "uninstall").ended).out, /Nothing of this project/);
    await Deno.writeTextFile(join(folder, service), "[Unit]\n");
    for (const verb of ["install", "uninstall"]) {
      const refused = await place.start("schedule", verb).ended;
      assert.equal(refused.code, 2);
      assert.match(refused.err, /was not written by/);
      assert.equal(await Deno.readTextFile(join(folder, service)), "[Unit]\n");
    }
  }));

Deno.test("schedule install writes a crontab block where systemd does not answer; its line runs", () =>
  inProject([`{name: quick, cron: "${WEEKLY}", ${QUICK}}`], async (place) => {
    await fakePrograms(place, { systemctl: "exit 1", crontab: CRONTAB });
    const tab = join(place.folder, "tab");
    await Deno.writeTextFile(tab, "MAILTO=me\n0 5 * * * backup 100%");
    const { code, out, err } = await place.start("schedule", "install").ended;
    assert.equal(code, 0, err);
    const text = await Deno.readTextFile(tab);
    assert.ok(text.startsWith("MAILTO=me\n0 5 * * * backup 100%\n# >>> collaudo-"), text);
    assert.ok(out.includes(text.slice(text.indexOf("# >>>")).trimEnd()), out);
    assert.equal((await place.start("schedule", "install").ended).code, 0);
    assert.equal(await Deno.readTextFile(tab), text, "installed twice, it stands once");
    const line = text.split("\n").find((each) => each.startsWith("*/15 * * * * ")) ?? "";
    const environment = /\. '([^']+)'/.exec(line)?.[1] ?? "";
    await Deno.mkdir(join(environment, ".."), { recursive: true });
    await Deno.writeTextFile(environment, "SEEN=yes\n");
    await place.keep("quick", missed);
    const ran = await new Deno.Command("sh", {
      args: ["-c", line.slice("*/15 * * * * ".length).replaceAll("\\%", "%")],
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", DENO_DIR },
      clearEnv: true,
    }).output();
    assert.equal(ran.code, 0, new TextDecoder().decode(ran.stderr));
    assert.equal((await place.last("quick")).outcome, "completed");
    assert.equal((await place.start("schedule", "uninstall").ended).code, 0);
    assert.equal(await Deno.readTextFile(tab), "MAILTO=me\n0 5 * * * backup 100%\n");
    await Deno.writeTextFile(tab, text.replace(/# <<<.*\n/, ""));
    assert.equal((await place.start("schedule", "install").ended).code, 2);
    await fakePrograms(place, { crontab: 'echo "not allowed" >&2; exit 1' });
    const refused = await place.start("schedule", "install").ended;
    assert.equal(refused.code, 2, "a crontab that cannot be read is not written");
  }));

Deno.test("schedule refuses to start without jobs, or where it may start nothing", async () => {
  await inProject([], async (place) => {
    const config = join(place.folder, "collaudo.yaml");
    await Deno.writeTextFile(
      config,
      (await Deno.readTextFile(config)).replace(/schedule:[^]*/, ""),
    );
    const { code, err } = await place.start("schedule").ended;
    assert.equal(code, 2);
    assert.match(err, /No job in collaudo\.yaml/);
  });
});
