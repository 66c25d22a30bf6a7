/**
 * Does the bot answer whom it should, and start nothing that nobody confirmed? The schedule in this
 * process with a Bot API on this machine and programs in the place of the runs; and once the whole
 * program, killed in the middle of a run that the chat asked for.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { INCIDENT, newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { type Bench, bench, channel, CHAT, ENV, options } from "../../testdata/telegram/bench.ts";
import { serveBotApi, TOKEN } from "../../testdata/telegram/bot_api.ts";
import type { BotState } from "../model/bot.ts";
import type { ChildEnd, ChildStart } from "../model/ports.ts";

const RED = await newReport([newScenario(), INCIDENT]);
const JOB = 'schedule: {jobs: [{name: night, cron: "30 2 * * 5", ' +
  'command: [run, --mode, live, --budget-eur, "2"]}]}\n';

/** What a run of the programs was asked for, and how it goes. */
interface Programs {
  readonly started: string[][];
  /** Resolves when the run that is going on may end; null where it ends at once. */
  hold: Promise<void> | null;
  refused: boolean;
  priced: boolean;
}

interface Listening extends Programs {
  readonly b: Bench;
  /** Writes to the bot and waits for its answers. */
  ask(text: string | null, over?: Record<string, unknown>, answers?: number): Promise<string>;
  /** Writes without waiting. */
  write(text: string | null, over?: Record<string, unknown>): void;
  /** Waits for so many messages of the bot in all. */
  answers(n: number): Promise<string[]>;
  state(): Promise<BotState>;
  stop(): Promise<number>;
  start(): void;
}

async function until(is: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let n = 0; n < 1500; n++) {
    if (await is()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`Waited in vain: ${what}`);
}

async function listening(use: (l: Listening) => Promise<void>, lines = JOB): Promise<void> {
  await bench(async (b) => {
    await b.config(channel(b.api.root) + lines);
    await Deno.mkdir(join(b.folder, "scenarios/home"), { recursive: true });
    await Deno.mkdir(join(b.folder, "scenarios/crm"), { recursive: true });
    let stop = new AbortController();
    let ended: Promise<number> = Promise.resolve(0);
    const texts = () =>
      b.api.accepted.filter(({ method }) => method === "sendMessage").map(({ text }) => text);
    const l: Listening = {
      b,
      started: [],
      hold: null,
      refused: false,
      priced: true,
      write: (text, over = {}) => {
        const chat = { id: Number(CHAT), type: "private" };
        const date = Math.floor(Date.parse(b.now) / 1000);
        const content = text === null ? { photo: [] } : { text };
        b.api.write({ message: { message_id: 1, chat, date, ...content, ...over } });
      },
      answers: async (n) => {
        await until(() => texts().length >= n, `${n} answers, ${texts().length} came`);
        return texts();
      },
      ask: async (text, over, n = 1) => {
        const before = texts().length;
        l.write(text, over);
        return (await l.answers(before + n)).slice(before).join("\n\n");
      },
      state: async () =>
        JSON.parse(
          await Deno.readTextFile(join(b.folder, "reports/schedule/bot/state.json")),
        ),
      start: () => {
        stop = new AbortController();
        const { signal } = stop;
        ended = b.eval(["schedule", "--bot"], (io) => ({
          interrupted: signal,
          clock: { ...io.clock, sleep: (ms) => paused(b, ms) },
          children: {
            ...io.children,
            mayStart: () => true,
            start: (child) => runProgram(l, child),
          },
        }));
      },
      stop: async () => {
        stop.abort();
        return await ended;
      },
    };
    l.start();
    try {
      await use(l);
    } finally {
      assert.equal(await l.stop(), 0, b.err.join(""));
    }
  });
}

/** Long pauses pass at once, but never so that a loop without end would not be seen. */
async function paused(b: Bench, ms: number): Promise<void> {
  b.slept.push(ms);
  await new Promise((done) => setTimeout(done, 5));
}

async function runProgram(l: Listening, { args, said, signal }: ChildStart): Promise<ChildEnd> {
  const words = args.slice(args.findIndex((arg) => arg.endsWith(".ts")) + 1);
  if (words[0] === "plan") {
    const cost = l.priced ? 0.02 : null;
    said(
      "out",
      JSON.stringify({ runs: 3, currency: "EUR", rows: [{ trials: 1, cost, minutes: 2 }] }),
    );
    return { kind: "exited", code: 0 };
  }
  if (words.includes("--dry-run")) {
    if (l.refused) return { kind: "exited", code: 2 };
    said(
      "out",
      JSON.stringify({ runs: [{ scenario: "a", trials: 3 }, { scenario: "b", trials: 3 }] }),
    );
    return { kind: "exited", code: 0 };
  }
  l.started.push(words);
  const cut = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  if (l.hold !== null) await Promise.race([l.hold, cut]);
  if (signal.aborted) return { kind: "interrupted" };
  const out = words[words.indexOf("--out") + 1] ?? "";
  await Deno.mkdir(out, { recursive: true });
  const report = { ...RED, time: l.b.now };
  await Deno.writeTextFile(join(out, "report.json"), JSON.stringify(report));
  await Deno.writeTextFile(join(out, "report.md"), "# Collaudo\n");
  return { kind: "exited", code: 1 };
}

const codeIn = (text: string) => /\/yes_([a-z2-9]{4})\b/.exec(text)?.[1] ?? "none";

/** A folder in the place of a file, which the bot may write anew at the same moment. */
async function putInTheWay(path: string): Promise<void> {
  for (let tried = 0;; tried++) {
    await Deno.remove(path, { recursive: true }).catch(() => undefined);
    try {
      return await Deno.mkdir(join(path, "in-the-way"), { recursive: true });
    } catch (cause) {
      if (tried === 50) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

Deno.test(
  "the bot answers its chat alone, says what it can, and counts the others",
  options,
  () =>
    listening(async ({ b, ask, write, answers, state }) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      assert.match(await ask("/status"), /^<b>Stato<\/b> · Nulla in corso\nUltimo rapporto: BLOCK/);
      write("/status", { chat: { id: 4711, type: "private" } });
      write("/run home", { chat: { id: -100200, type: "group" } });
      b.api.write({ edited_message: { text: "/run home" } });
      b.api.write({ message: { chat: { id: "no number" }, date: "x" } });
      assert.match(await ask("/last"), /^<b>⛔ BLOCK<\/b>[^]*\nDettagli: \/why_\w+$/);
      const which = await ask("/why");
      const [tapped = ""] = /\/why_\w+/.exec(which) ?? [];
      assert.ok((await ask(tapped)).startsWith(`<b>${INCIDENT.id}</b>`));
      assert.ok((await ask(`/why ${INCIDENT.id.slice(0, 3).toUpperCase()}`)).includes(INCIDENT.id));
      assert.match(await ask("/why zzz"), /^Nessuno scenario .* zzz\n/);
      assert.match(await ask("/overrides"), /Oggi non vale alcuna deroga/);
      assert.match(await ask("what now?"), /^Non ho capito[^]*\/status/);
      assert.match(await ask("/shutdown"), /^Non ho capito/);
      assert.match(await ask(null), /^Leggo solo testo/);
      assert.match(await ask("/start"), /^\/status/);
      assert.match(await ask("/status@collaudo_bot"), /2 messaggi di altre chat ignorati/);
      write("good morning", { chat: { id: Number(CHAT), type: "group" } });
      assert.match(
        await ask("/no", { chat: { id: Number(CHAT), type: "group" } }),
        /Nessuna domanda/,
      );
      assert.equal((await answers(0)).length, 13);
      assert.ok(b.api.accepted.every(({ chat }) => chat === CHAT));
      assert.equal((await state()).ignored, 2);
    }),
);

Deno.test(
  "the bot starts a run after the cost, a code and a yes in time, as a job; else nothing",
  options,
  () =>
    listening(async (l) => {
      const { b, ask, started } = l;
      assert.match(await ask("/run"), /Quale suite\? \/run_crm \/run_home \/run_all/);
      assert.match(await ask("/run lights"), /^Non c'è una suite lights/);
      const first = await ask("/run home");
      assert.match(
        first,
        /^Costa circa 0,06\s€.*\nSi ferma a 2,00\s€\.\nProvo dal vivo <code>home<\/code>\? 2 scenari, 6 prove\.\n/,
      );
      assert.match(first, /Senza risposta entro 10 minuti la domanda decade e non parte nulla\.$/);
      assert.match(await ask("/yes"), /^Non è il codice/);
      assert.match(await ask("/yes zzzz"), /^Non è il codice/);
      const second = await ask("/run_crm");
      assert.notEqual(codeIn(first), codeIn(second));
      assert.match(await ask(`/yes_${codeIn(first)}`), /^Non è il codice/, "it was replaced");
      assert.match(await ask("/no"), /^Lasciato perdere/);
      assert.match(await ask(`/yes_${codeIn(second)}`), /^Nessuna domanda aperta/);
      const third = await ask("/run home");
      b.now = "2026-11-30T07:41:00+01:00";
      assert.match(
        await ask(`/yes_${codeIn(third)}`),
        /^La risposta è arrivata dopo più di 10 minuti/,
      );
      assert.match(await ask("/run home", { date: 1 }), /mentre non c'ero: non parte nulla/);
      l.refused = true;
      assert.match(await ask("/run home"), /^Non si può avviare[^]*--only home --dry-run/);
      l.refused = false;
      l.priced = false;
      assert.match(await ask("/run all"), /^Il costo è ignoto[^]*tutta la suite\?/);
      l.priced = true;
      const unkept = await ask("/run home");
      const kept = join(b.folder, "reports/schedule/bot/state.json");
      await putInTheWay(kept);
      assert.match(
        await ask(`/yes_${codeIn(unkept)}`),
        /^Non è riuscito/,
        "what cannot be remembered could be started twice",
      );
      await Deno.remove(kept, { recursive: true });
      l.priced = false;
      assert.equal(started.length, 0);

      const { promise, resolve } = Promise.withResolvers<void>();
      l.hold = promise;
      const last = await ask("/run home");
      assert.match(await ask(`/YES ${codeIn(last).toUpperCase()}`), /^Avviato: <code>home<\/code>/);
      await until(() => started.length === 1, "the run");
      assert.match(await ask(`/yes_${codeIn(last)}`), /^Nessuna domanda aperta/, "once");
      assert.match(await ask("/status"), /In corso: from-chat/);
      assert.match(await ask("/run crm"), /è già in corso/);
      const before = b.api.accepted.length;
      resolve();
      await l.answers(before + 1);
      assert.match(b.api.accepted[before]?.text ?? "", /^<b>⛔ BLOCK<\/b>/);
      assert.deepEqual(l.started.at(0)?.slice(0, 8), [
        ...["run", "--mode", "live", "--only", "home", "--budget-eur", "2"],
        "--wait",
      ]);
      await until(async () => (await l.state()).run === null, "the end to be told");
      assert.ok((await b.outbox()).every(({ parts }) => parts[0]?.state === "delivered"));
    }),
);

Deno.test(
  "the bot lives through lost networks, 409, 429, 502 and starts, and answers each once",
  options,
  () =>
    listening(async (l) => {
      const { b, ask, write, answers, state } = l;
      await ask("/no");
      b.api.pollFaults.push(
        { kind: "status", status: 502 },
        { kind: "status", status: 502 },
        { kind: "conflict" },
        { kind: "conflict" },
        { kind: "busy", retryAfter: 777 },
        { kind: "cut" },
        { kind: "no_id" },
        { kind: "refuse", description: `Bad Request: ${TOKEN}` },
      );
      write("/no");
      assert.equal((await answers(2)).length, 2);
      await ask("/no");
      assert.ok(b.slept.includes(777_000), "a pause that is named is kept");
      assert.deepEqual(b.slept.slice(0, 4), [2_000, 6_000, 20_000, 60_000], "pauses grow");
      assert.ok(b.slept.filter((ms) => ms !== 777_000).every((ms) => ms <= 300_000));
      const said = b.err.join("");
      assert.match(said, /bot: non raggiunto: answer 502/);
      assert.equal(said.match(/un altro programma legge/g)?.length, 1, "said once");
      assert.match(said, /bot: di nuovo raggiunto/);

      b.api.faults.push({ kind: "status", status: 502 }, { kind: "busy", retryAfter: 1 });
      assert.match(await ask("/no"), /^Nessuna domanda/);
      b.api.faults.push({ kind: "refuse", description: "Bad Request: can't parse entities" });
      assert.match(await ask("/status"), /^Stato · /, "as plain text");

      const count = b.api.accepted.length;
      assert.equal(await l.stop(), 0);
      write("/no");
      l.start();
      await answers(count + 1);
      await l.stop();
      l.start();
      await ask("/no");
      assert.equal(b.api.accepted.length, count + 2, "what was seen is not seen again");
      await until(
        async () => (await state()).offset === b.api.polls.at(-1),
        "the offset to be confirmed",
      );

      await l.stop();
      await Deno.writeTextFile(join(b.folder, "reports/schedule/bot/state.json"), "{");
      l.start();
      await ask("/no");
      assert.match(b.err.join(""), /state\.json cannot be used/);
    }),
);

Deno.test(
  "the bot tells of a run that the schedule's end broke off, and of one whose end it missed",
  options,
  () =>
    listening(async (l) => {
      const { b, ask } = l;
      l.hold = new Promise(() => {});
      const asked = await ask("/run home");
      await ask(`/yes_${codeIn(asked)}`);
      await until(() => l.started.length === 1, "the run");
      const before = b.api.accepted.length;
      assert.equal(await l.stop(), 130);
      l.start();
      const [told] = (await l.answers(before + 1)).slice(before);
      assert.match(told ?? "", /^⚠️ <code>home<\/code>: interrotto; nessun rapporto/);
      await until(async () => (await l.state()).run === null, "the end to be told");
      assert.equal(l.started.length, 1, "never started again");

      const kept = await l.state();
      await l.stop();
      const run = { suite: "home", due: "2026-11-30T07:00:00+01:00", over: false };
      await Deno.writeTextFile(
        join(b.folder, "reports/schedule/bot/state.json"),
        JSON.stringify({ ...kept, run }),
      );
      l.start();
      const all = await l.answers(before + 2);
      assert.match(all.at(-1) ?? "", /si è interrotto: la macchina/);
      await until(async () => (await l.state()).run === null, "the end to be told");
    }),
);

Deno.test(
  "no command of the bot changes a gate, a baseline, the ledger or anything but its own state",
  options,
  () =>
    listening(async ({ b, ask }) => {
      await b.report("2026-11-30T01-41-00Z-aaaaaaaa", RED);
      await Deno.mkdir(join(b.folder, "gates"));
      await Deno.writeTextFile(join(b.folder, "gates/release.yaml"), "name: release\n");
      const files = () => {
        const found: Record<string, string> = {};
        const walk = (folder: string) => {
          for (const { name, isDirectory } of Deno.readDirSync(join(b.folder, folder))) {
            const path = `${folder}/${name}`;
            if (path === "/reports/schedule" || /^\/reports\/history/.test(path)) continue;
            if (isDirectory) walk(path);
            else found[path] = Deno.readTextFileSync(join(b.folder, path));
          }
        };
        walk("");
        return found;
      };
      const before = files();
      const texts = ["/status", "/last", "/why", "/why inc", "/overrides", "/run home", "/no"];
      const odd = [
        "/baseline accept",
        "/gate",
        "/run --gate x",
        "/run ../..",
        "/why ../../x",
        "/mute d1",
      ];
      for (const text of [...texts, ...odd, "/yes_aaaa"]) await ask(text);
      assert.deepEqual(files(), before);
    }),
);

Deno.test(
  "schedule --bot refuses to begin without a chat by number, or beside --once",
  options,
  () =>
    bench(async (b) => {
      await b.config(channel(b.api.root) + JOB);
      const run = (...args: string[]) =>
        b.eval(["schedule", "--bot", ...args], (io) => ({
          children: { ...io.children, mayStart: () => true },
        }));
      assert.equal(await run("--once"), 2);
      b.env = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_CHAT_ID: "@owner" };
      assert.equal(await run(), 2);
      assert.match(b.err.join(""), /The chat is no number/);
      b.env = { TELEGRAM_CHAT_ID: CHAT };
      assert.equal(await run(), 2);
      await b.config(JOB);
      assert.equal(await run(), 2);
      b.env = { ...ENV };
      await b.config(channel(b.api.root) + JOB.replace("night", "from-chat"));
      assert.equal(await run(), 2);
      assert.match(b.err.join(""), /"from-chat" is the bot's own/);
      assert.deepEqual(b.api.polls, []);
    }),
);

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

Deno.test("schedule --bot killed in the middle of a run from the chat tells of it and never starts it again", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "collaudo bot " }));
  await cp(join(ROOT, "testdata/cli/projects/lights"), folder, { recursive: true });
  const api = serveBotApi();
  const config = await Deno.readTextFile(join(folder, "collaudo.yaml"));
  await Deno.writeTextFile(join(folder, "collaudo.yaml"), `${config}\n${JOB}${channel(api.root)}`);
  const stop = new AbortController();
  let asked = 0;
  const model = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: stop.signal },
    (request) => {
      asked++;
      return new Promise((answer) =>
        request.signal.addEventListener("abort", () => answer(new Response("{}")))
      );
    },
  );
  const env = {
    ...ENV,
    NO_COLOR: "1",
    INIT_CWD: "",
    LLM_BASE_URL: `http://127.0.0.1:${model.addr.port}/v1`,
    LLM_API_KEY: "sk-model-of-this-test",
  };
  const start = () =>
    new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--no-prompt", "--cached-only", join(ROOT, "main.ts")],
        ...["schedule", "--bot"],
      ],
      cwd: folder,
      env,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  const write = (text: string) =>
    void api.write({
      message: {
        chat: { id: Number(CHAT), type: "private" },
        date: Math.floor(Date.now() / 1000),
        text,
      },
    });
  const answers = async (n: number) => {
    await until(() => api.accepted.length >= n, `${n} answers`);
    return api.accepted.at(n - 1)?.text ?? "";
  };
  const children: Deno.ChildProcess[] = [];
  try {
    children.push(start());
    write("/run home");
    const question = await answers(1);
    assert.match(question, /^What it costs is not known/);
    write(`/yes_${codeIn(question)}`);
    assert.match(await answers(2), /^Started/);
    await until(() => asked > 0, "the run to ask its model");
    children[0]?.kill("SIGKILL");
    await children[0]?.status;
    const before = asked;
    write(`/yes_${codeIn(question)}`);
    children.push(start());
    const told = [await answers(3), await answers(4)].sort();
    assert.match(told[0] ?? "", /^No question is open: nothing runs/);
    assert.match(told[1] ?? "", /home<\/code> broke off/);
    assert.equal(asked, before);
    children[1]?.kill("SIGTERM");
    assert.equal((await children[1]?.status)?.code, 0);
  } finally {
    for (const child of children) {
      try {
        child.kill("SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
    stop.abort();
    await model.finished.catch(() => undefined);
    await api.close();
    await Deno.remove(folder, { recursive: true });
  }
});
