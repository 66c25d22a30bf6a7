import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { INCIDENT, newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { newBaseline, RELEASE_RULES } from "../../testdata/report/sample_scores.ts";
import { bench, channel, CHAT, ENV, NOW, options } from "../../testdata/telegram/bench.ts";
import { type Fault, TOKEN } from "../../testdata/telegram/bot_api.ts";
import type { Io } from "../model/ports.ts";
import type { Report } from "../model/report.ts";

const KILLED_AT = fileURLToPath(new URL("../../testdata/telegram/killed_at.ts", import.meta.url));
const MARK = "(forse già ricevuto)";

const RED = await newReport([newScenario(), INCIDENT]);
const BACKUP = newScenario({}, { cost: 0.012, latencyMs: 1900 });
const GREEN = await newReport([BACKUP], {
  evidence: "live",
  rules: RELEASE_RULES.slice(0, 1),
  baseline: newBaseline(BACKUP.trials.map(({ score }) => score)),
});
const later = (report: Report, time: string): Report => ({ ...report, time });

Deno.test(
  "notify sends the newest report once, says so, and sends it again only when asked",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      assert.equal(b.api.accepted.length, 1);
      b.env = { TELEGRAM_BOT_TOKEN: ` ${TOKEN}\n`, TELEGRAM_CHAT_ID: ` ${CHAT}\n` };
      assert.equal(await b.eval(["notify"]), 0, "the same chat, read from a file");
      assert.equal(b.api.accepted.length, 1);
      assert.deepEqual(b.out.splice(1).length, 1);
      b.env = { ...ENV };
      const [message] = b.api.accepted;
      assert.match(
        message?.text ?? "",
        /^<b>⛔ BLOCK<\/b> · 1\/2 superati · 1 fallimento, 1 grave/,
      );
      assert.equal(message?.chat, CHAT);
      assert.deepEqual(b.out, ["consegnato: messaggio 41\n"]);
      assert.equal(await b.eval(["notify"]), 0);
      assert.match(b.out[1] ?? "", /^già consegnato, 30 nov 2026, 07:30: messaggio 41\n$/);
      assert.equal(b.api.accepted.length, 1);
      assert.equal(await b.eval(["notify", "--again"]), 0);
      assert.equal(await b.eval(["notify", "--to", "555000111"]), 0);
      assert.deepEqual(b.api.accepted.map(({ chat }) => chat), [CHAT, CHAT, "555000111"]);
      const full = ["notify", "--full", "reports/runs/2026-11-30T01-41-00Z-aaaaaaaa"];
      assert.equal(await b.eval(full), 0);
      assert.deepEqual(b.api.accepted.slice(3).map(({ method, name }) => [method, name]), [
        ["sendMessage", null],
        ["sendDocument", "report.md"],
      ]);
    }),
);

Deno.test(
  "notify --dry-run prints the message, needs no token, sends and writes nothing",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      b.env = {};
      assert.equal(await b.eval(["notify", "--dry-run"]), 0, b.err.join(""));
      assert.match(b.out.join(""), /^<b>⛔ BLOCK<\/b>/);
      assert.equal(b.api.calls.count, 0);
      await assert.rejects(Deno.stat(join(b.folder, "reports/outbox")));
    }),
);

Deno.test(
  "notify delivers through 429, 502, cut answers and refused markup",
  options,
  () =>
    bench(async (b) => {
      const rows: readonly {
        readonly name: string;
        readonly faults: readonly Fault[];
        readonly accepted: number;
        readonly marked: boolean;
        readonly slept: readonly number[];
        readonly html?: boolean;
      }[] = [
        {
          name: "429 names its pause",
          faults: [{ kind: "busy", retryAfter: 9 }, { kind: "busy", retryAfter: 1 }],
          accepted: 1,
          marked: false,
          slept: [9000, 6000],
        },
        {
          name: "502 may have been accepted",
          faults: [{ kind: "status", status: 502 }, { kind: "status", status: 500 }],
          accepted: 1,
          marked: true,
          slept: [2000, 6000],
        },
        {
          name: "502 after acceptance",
          faults: [{ kind: "status", status: 502, accept: true }],
          accepted: 2,
          marked: true,
          slept: [2000],
        },
        {
          name: "an answer that is cut",
          faults: [{ kind: "cut", accept: true }],
          accepted: 2,
          marked: true,
          slept: [2000],
        },
        {
          name: "an answer without a message",
          faults: [{ kind: "no_id" }],
          accepted: 1,
          marked: true,
          slept: [2000],
        },
        {
          name: "markup that cannot be parsed",
          faults: [{ kind: "refuse", description: "Bad Request: can't parse entities: byte 7" }],
          accepted: 1,
          marked: false,
          slept: [],
          html: false,
        },
      ];
      for (const [i, { name, faults, accepted, marked, slept, html }] of rows.entries()) {
        await b.report(
          `2026-11-30T01-4${i}-00Z-aaaaaaaa`,
          later(RED, `2026-11-30T02:4${i}:00+01:00`),
        );
        b.api.accepted.length = 0;
        b.slept.length = 0;
        b.api.faults.push(...faults);
        assert.equal(await b.eval(["notify"]), 0, name);
        assert.equal(b.api.accepted.length, accepted, name);
        const last = b.api.accepted.at(-1);
        assert.equal(last?.text.split("\n")[0]?.endsWith(MARK), marked, name);
        assert.equal(last?.html, html ?? true, name);
        if (html === false) assert.match(last?.text ?? "", /^⛔ BLOCK · 1\/2/);
        assert.deepEqual(b.slept, slept, name);
      }
    }),
);

Deno.test(
  "notify keeps what it could not deliver, takes it up again, and the next message tells of it",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-23T01-41-00Z-aaaaaaaa", later(RED, "2026-11-23T02:41:00+01:00"));
      b.now = "2026-11-23T07:30:00+01:00";
      const gone: Fault[] = Array.from({ length: 6 }, () => ({ kind: "busy", retryAfter: 1 }));
      b.api.faults.push(...gone);
      assert.equal(await b.eval(["notify"]), 3);
      assert.equal(b.api.calls.count, 6);
      assert.deepEqual(b.slept, [2000, 6000, 20000, 60000, 120000]);
      assert.match(
        b.err.join(""),
        /non consegnato \(telegram\): too many messages.*\n.*reports\/outbox/,
      );

      b.api.faults.push({ kind: "busy", retryAfter: 4000 });
      assert.equal(await b.eval(["notify"]), 3, "a pause of an hour is not waited for");
      b.api.faults.push({ kind: "refuse", description: "Bad Request: chat not found" });
      assert.equal(await b.eval(["notify"]), 3, "what is refused is not asked again");
      assert.equal(b.api.calls.count, 8);

      await b.report("2026-11-30T01-41-00Z-bbbbbbbb", GREEN);
      b.now = NOW;
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      const [message] = b.api.accepted;
      assert.match(
        message?.text ?? "",
        /^<b>.*\n⚠️ Il messaggio di lun 23 nov, 07:30 \(BLOCK\) non è stato consegnato\n/,
      );
      assert.equal(b.api.accepted.length, 1);
      await b.report("2026-12-01T01-41-00Z-cccccccc", later(GREEN, "2026-12-01T02:41:00+01:00"));
      b.now = "2026-12-01T07:30:00+01:00";
      assert.equal(await b.eval(["notify"]), 0);
      assert.doesNotMatch(b.api.accepted[1]?.text ?? "", /consegnato/, "it is told once");
    }),
);

Deno.test(
  "notify resumes a message as it is where no server was there, and says so where it may have come",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      await b.config(channel("http://127.0.0.1:9"));
      assert.equal(await b.eval(["notify"]), 3);
      assert.match(b.err.join(""), /the connection was refused/);
      await b.config(channel(b.api.root));
      b.api.faults.push(
        ...Array.from({ length: 6 }, () => ({ kind: "status", status: 502 } as const)),
      );
      assert.equal(await b.eval(["notify"]), 3);
      assert.equal(await b.eval(["notify"]), 0);
      assert.equal(b.api.accepted.length, 1);
      assert.ok(b.api.accepted[0]?.text.split("\n")[0]?.endsWith(MARK));
      await b.report("2026-11-30T03-41-00Z-bbbbbbbb", later(GREEN, "2026-11-30T04:41:00+01:00"));
      await b.config(channel("http://127.0.0.1:9"));
      assert.equal(await b.eval(["notify"]), 3);
      await b.config(channel(b.api.root));
      assert.equal(await b.eval(["notify"]), 0);
      assert.doesNotMatch(b.api.accepted[1]?.text ?? "", /forse/);
    }),
);

Deno.test(
  "notify says that no run came: no report, an old one, a scheduled one that is missing or broke off",
  options,
  () =>
    bench(async (b) => {
      const last = () =>
        b.api.accepted.findLast(({ method }) => method === "sendMessage")?.text ?? "";
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      assert.match(last(), /^<b>⚠️ NESSUNA PROVA<\/b> · non c'è alcun rapporto\n/);
      assert.equal(await b.eval(["notify"]), 0);
      assert.equal(b.api.accepted.length, 1, "once a day");

      await b.report("2026-11-21T01-41-00Z-aaaaaaaa", later(GREEN, "2026-11-21T02:41:00+01:00"));
      assert.equal(await b.eval(["notify"]), 0);
      assert.match(
        last(),
        /NESSUNA PROVA<\/b> · da sab 21 nov, 02:41\n[^]*L'ultimo rapporto dice PASS/,
      );

      const jobs =
        'schedule: {jobs: [{name: night, cron: "30 2 * * 5", command: [run, --mode, live]}]}\n';
      await b.config(channel(b.api.root) + jobs);
      b.now = "2026-11-27T07:30:00+01:00";
      await b.report("2026-11-26T01-41-00Z-aaaaaaaa", later(GREEN, "2026-11-26T02:41:00+01:00"));
      assert.equal(await b.eval(["notify"]), 0);
      assert.match(
        last(),
        /da gio 26 nov, 02:41\nEra atteso ven 27 nov, 02:30: non è arrivato nulla/,
      );
      assert.match(last(), /Prossima prova ven 4 dic, 02:30/);

      const job = {
        schema: "collaudo/job@1",
        job: "night",
        cron: "30 2 * * 5",
        zone: "Europe/Rome",
        command: ["run"],
        since: "2026-11-01T00:00:00Z",
        last: {
          due: "2026-11-27T01:30:00Z",
          reason: "on_time",
          attempt: 1,
          started: "2026-11-27T01:30:00Z",
          ended: null,
          outcome: "crashed",
          exitCode: null,
          decision: null,
          report: null,
          said: null,
        },
        succeeded: null,
      };
      const write = async (
        last: { readonly outcome?: string; readonly report?: string },
        since = job.since,
      ) => {
        await Deno.mkdir(join(b.folder, "reports/schedule"), { recursive: true });
        const text = JSON.stringify({ ...job, since, last: { ...job.last, ...last } });
        await Deno.writeTextFile(join(b.folder, "reports/schedule/night.json"), text);
      };
      await write({}, "2026-11-27T06:00:00Z");
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      assert.match(last(), /^<b>✅ PASS/, "nothing was due before the schedule began");
      await write({});
      await b.report("2026-11-27T05-41-00Z-aaaaaaaa", later(GREEN, "2026-11-27T06:41:00+01:00"));
      assert.equal(await b.eval(["notify", "--again"]), 0, b.err.join(""));
      assert.match(last(), /Il lavoro è partito e si è interrotto da sé/);
      await write({
        outcome: "completed",
        report: "reports/runs/2026-11-27T05-41-00Z-aaaaaaaa/report.json",
      });
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      assert.match(last(), /^<b>✅ PASS/);
      await write({ outcome: "completed", report: "reports/runs/gone/report.json" });
      assert.equal(await b.eval(["notify", "--dry-run"]), 0);
      assert.match(b.out.at(-1) ?? "", /da ven 27 nov, 06:41\n[^]*C'è, o c'era, un rapporto/);
    }),
);

Deno.test(
  "notify takes no replay for the live run that was due, and no old report for a new one",
  options,
  () =>
    bench(async (b) => {
      const told = async (...args: string[]) => {
        assert.equal(await b.eval(["notify", "--dry-run", ...args]), 0, b.err.join(""));
        return b.out.at(-1) ?? "";
      };
      b.now = "2026-11-27T07:30:00+01:00";
      const replay = { ...GREEN, mode: "replay" as const };
      await b.config(
        channel(b.api.root) +
          'schedule: {jobs: [{name: night, cron: "30 2 * * 5", command: [run, --mode, live]}]}\n',
      );
      await b.report("2026-11-27T05-41-00Z-aaaaaaaa", later(replay, "2026-11-27T06:41:00+01:00"));
      assert.match(await told(), /^<b>✅ PASS/, "no schedule ever began here");
      const noted = {
        schema: "collaudo/job@1",
        job: "night",
        cron: "30 2 * * 5",
        zone: "Europe/Rome",
        command: ["run"],
        since: "2026-11-01T00:00:00Z",
        last: null,
        succeeded: null,
      };
      const notes = join(b.folder, "reports/schedule/night.json");
      await Deno.mkdir(join(b.folder, "reports/schedule"));
      await Deno.writeTextFile(notes, JSON.stringify(noted));
      assert.match(await told(), /NESSUNA PROVA<\/b> · non c'è alcuna prova dal vivo\nEra atteso/);
      await Deno.writeTextFile(notes, "{");
      assert.match(await told(), /NESSUNA PROVA/, "notes that cannot be read are notes");
      await b.report("2026-11-20T01-41-00Z-aaaaaaaa", later(GREEN, "2026-11-20T02:41:00+01:00"));
      assert.match(await told(), /NESSUNA PROVA<\/b> · da ven 20 nov, 02:41\nEra atteso ven 27/);
      await b.report("by-hand", later(GREEN, "2026-11-27T02:41:00+01:00"));
      const ofTheNight = /^<b>✅ PASS[^]*Prossima prova/;
      assert.match(await told(), ofTheNight, "the live run of the night is told of");
      const replayed = join(b.folder, "reports/runs/2026-11-27T05-41-00Z-aaaaaaaa/report.json");
      await Deno.writeTextFile(
        replayed,
        JSON.stringify({ ...RED, time: "2026-11-27T06:41:00+01:00" }),
      );
      await Deno.remove(notes);
      assert.match(await told(), ofTheNight, "no replay hides it");
      await Deno.writeTextFile(
        replayed,
        JSON.stringify(later(replay, "2026-11-27T06:41:00+01:00")),
      );

      await b.config(channel(b.api.root));
      assert.match(await told(), /^<b>✅ PASS[^]*reports\/runs\/2026-11-27T05-41-00Z-aaaaaaaa/);
      await b.report("an-old-one", later(RED, "2026-11-10T02:41:00+01:00"));
      assert.match(await told(), /^<b>✅ PASS/, "the name of a folder makes no report new");
      await b.report("2026-11-27T06-00-00Z-aaaaaaaa", RED);
      const broken = join(b.folder, "reports/runs/2026-11-27T06-00-00Z-aaaaaaaa/report.json");
      await Deno.writeTextFile(broken, '{"sche');
      assert.match(await told(), /NESSUNA PROVA<\/b> · da ven 27 nov, 06:41\nC'è, o c'era/);
    }),
);

Deno.test(
  "notify attaches the picture of the last runs of the same kind",
  options,
  () =>
    bench(async (b) => {
      const pairs: readonly (readonly [string, Report])[] = [
        ["2026-11-16T01-41-00Z-aaaaaaaa", later(GREEN, "2026-11-16T02:41:00+01:00")],
        ["2026-11-23T01-41-00Z-aaaaaaaa", later(GREEN, "2026-11-23T02:41:00+01:00")],
        ["2026-11-24T01-41-00Z-aaaaaaaa", later(RED, "2026-11-24T02:41:00+01:00")],
        ["2026-11-30T01-41-00Z-aaaaaaaa", GREEN],
      ];
      for (const [name, report] of pairs) await b.report(name, report);
      b.api.faults.push(
        { kind: "busy", retryAfter: 1 },
      );
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      const [text, picture] = b.api.accepted;
      assert.equal(text?.method, "sendMessage");
      assert.equal(picture?.method, "sendPhoto");
      assert.equal(picture?.text, "3 ultime prove");
      assert.deepEqual([...picture?.bytes?.slice(0, 4) ?? []], [0x89, 0x50, 0x4e, 0x47]);
      assert.ok((await b.outbox()).every(({ parts }) => parts.every(({ data }) => data === null)));
    }),
);

Deno.test(
  "notify refuses to begin without a channel, a token, a chat or a report that can be read",
  options,
  () =>
    bench(async (b) => {
      b.env = { TELEGRAM_CHAT_ID: CHAT };
      assert.equal(await b.eval(["notify"]), 2);
      b.env = { TELEGRAM_BOT_TOKEN: TOKEN };
      assert.equal(await b.eval(["notify"]), 2);
      for (const token of [`"${TOKEN}"`, "x/../y", `${TOKEN} x`]) {
        b.env = { ...ENV, TELEGRAM_BOT_TOKEN: token };
        assert.equal(await b.eval(["notify"]), 2, token);
      }
      b.env = { ...ENV, TELEGRAM_CHAT_ID: "Anna" };
      assert.equal(await b.eval(["notify"]), 2);
      assert.match(b.err.join(""), /BOT_TOKEN" holds something else[^]*CHAT_ID" holds something/);
      assert.doesNotMatch(b.err.join(""), /Anna/);
      b.env = { ...ENV };
      assert.equal(await b.eval(["notify", "reports/nothing.json"]), 2);
      await b.config("");
      assert.equal(await b.eval(["notify"]), 2);
      assert.match(
        b.err.join(""),
        /TELEGRAM_BOT_TOKEN.*\n[^]*TELEGRAM_CHAT_ID[^]*No channel to notify/,
      );
      assert.equal(b.api.calls.count, 0);
    }),
);

Deno.test(
  "notify goes out from a disk that takes nothing more, and says that it may come again",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      const full = (io: Io): Partial<Io> => ({
        files: {
          ...io.files,
          writeText: () => Promise.reject(new Error("no space left on the disk")),
        },
        lock: { acquire: () => Promise.reject(new Error("no space left on the disk")) },
      });
      assert.equal(await b.eval(["notify"], full), 0);
      assert.match(b.api.accepted[0]?.text ?? "", /\n⚠️ Il disco non prende più nulla/);
      assert.match(b.err.join(""), /no space left/);
    }),
);

Deno.test(
  "notify goes to every channel from a disk that fills at any step, and marks what may be there",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      await b.config(
        `${channel(b.api.root).trimEnd().slice(0, -1)}, command: {argv: [tee, -a, got.txt]}}\n`,
      );
      b.env["PATH"] = Deno.env.get("PATH") ?? "";
      for (let step = 1; step <= 9; step++) {
        b.api.accepted.length = 0;
        for (const path of ["reports/outbox", "got.txt"]) {
          await Deno.remove(join(b.folder, path), { recursive: true }).catch(() => undefined);
        }
        let writes = 0;
        const filling = (io: Io): Partial<Io> => ({
          files: {
            ...io.files,
            writeText: (path, text) =>
              ++writes < step
                ? io.files.writeText(path, text)
                : Promise.reject(new Error("no space left on the disk")),
          },
        });
        assert.equal(await b.eval(["notify"], filling), 0, `step ${step}: ${b.err.join("")}`);
        assert.equal(b.api.accepted.length, 1, `step ${step}`);
        const got = await Deno.readTextFile(join(b.folder, "got.txt"));
        assert.match(got, /^⛔ BLOCK/, `step ${step}`);
        assert.equal(await b.eval(["notify"]), 0, `step ${step}: ${b.err.join("")}`);
        const [first, second] = b.api.accepted.map(({ text }) => text);
        assert.ok(
          second === undefined || first?.includes("Il disco non prende più nulla") ||
            second.split("\n")[0]?.endsWith(MARK),
          `step ${step}: what comes twice is announced or marked`,
        );
      }
    }),
);

Deno.test(
  "notify marks a message whose file nobody can read, and needs no outbox to send",
  options,
  () =>
    bench(async (b) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      const outbox = join(b.folder, "reports/outbox");
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      for (const { name } of Deno.readDirSync(outbox)) {
        if (name.endsWith(".json")) await Deno.writeTextFile(join(outbox, name), '{"sche');
      }
      assert.equal(await b.eval(["notify"]), 0);
      assert.ok(b.api.accepted[1]?.text.split("\n")[0]?.endsWith(MARK));
      assert.equal(await b.eval(["notify"]), 0);
      assert.equal(b.api.accepted.length, 2, "it can be read again");
      await Deno.remove(outbox, { recursive: true });
      await Deno.writeTextFile(outbox, "a file in its place");
      assert.equal(await b.eval(["notify"]), 0);
      assert.match(b.api.accepted[2]?.text ?? "", /\n⚠️ Il disco non prende più nulla/);
    }),
);

function start(folder: string, env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--cached-only", "--no-check", "-A", KILLED_AT, "notify"],
    cwd: folder,
    env: { ...ENV, INIT_CWD: folder, NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function ended(
  child: Deno.ChildProcess,
): Promise<{ code: number; signal: string | null; text: string }> {
  const { code, signal, stdout, stderr } = await child.output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return { code, signal, text };
}

Deno.test(
  "notify, killed at any step, delivers at least once, once where that can be known, else marked",
  options,
  () =>
    bench(async (b) => {
      const recent = { ...RED, time: new Date(Date.now() - 3_600_000).toISOString() };
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", recent);
      const whole = await ended(start(b.folder, {}));
      assert.equal(whole.code, 0, whole.text);
      const steps = Number(/steps (\d+)/.exec(whole.text)?.[1]);
      assert.ok(steps >= 8, whole.text);
      const seen = { none: 0, doubt: 0, twice: 0, done: 0 };
      for (let step = 1; step <= steps; step++) {
        await Deno.remove(join(b.folder, "reports/outbox"), { recursive: true });
        b.api.accepted.length = 0;
        const killed = await ended(start(b.folder, { COLLAUDO_KILL_AT: String(step) }));
        assert.equal(killed.signal, "SIGKILL", `step ${step}: ${killed.text}`);
        const before = b.api.accepted.length;
        const [message] = await b.outbox();
        const state = message?.parts[0]?.state ?? "none";
        const resumed = await ended(start(b.folder, {}));
        assert.equal(resumed.code, 0, resumed.text);
        const marked = b.api.accepted.map(({ text }) =>
          text.split("\n")[0]?.endsWith(MARK) === true
        );
        const told = `step ${step}: ${state}, ${before} before, ${marked}`;
        if (state === "delivered") {
          seen.done++;
          assert.deepEqual(marked, [false], told);
        } else if (before === 1) {
          seen.twice++;
          assert.deepEqual(marked, [false, true], told);
        } else if (state === "sending") {
          seen.doubt++;
          assert.deepEqual(marked, [true], told);
        } else {
          seen.none++;
          assert.deepEqual(marked, [false], told);
        }
      }
      for (const [kind, count] of Object.entries(seen)) assert.ok(count > 0, kind);
    }),
);

Deno.test(
  "notify, started four times at once, delivers one message",
  options,
  () =>
    bench(async (b) => {
      const recent = { ...RED, time: new Date(Date.now() - 3_600_000).toISOString() };
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", recent);
      const all = await Promise.all([1, 2, 3, 4].map(() => ended(start(b.folder, {}))));
      assert.deepEqual(
        all.map(({ code }) => code),
        [0, 0, 0, 0],
        all.map(({ text }) => text).join(),
      );
      assert.equal(b.api.accepted.length, 1);
    }),
);
