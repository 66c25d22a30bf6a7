/**
 * What runs in a night, seen from the owner's clock? The real schedule on the real node-cron, with
 * timers, clock, files and programs that this test moves: both changes of the clocks of Europe/Rome,
 * sleep, reboots in the middle of a run, two schedules at once, a disk that fills.
 */
import assert from "node:assert/strict";
import FakeTimers from "@sinonjs/fake-timers";
import { realCron } from "../io/cron.ts";
import { type JobFile, jobFile } from "../model/job.ts";
import type { ChildEnd, ChildStart, Files, Io } from "../model/ports.ts";
import { scheduleCommand } from "./schedule_command.ts";

const CONFIG = `zone: Europe/Rome
schedule:
  jobs:
    - {name: eval, cron: "30 2 * * 5", command: [run, --mode, live]}
    - {name: summary, cron: "30 7 * * 5", command: [notify]}
`;

const HOUR_MS = 3_600_000;

/** A machine of its own: what lies on its disk outlives every reboot. */
class Machine {
  readonly disk = new Map<string, string>([["/home/project/collaudo.yaml", CONFIG]]);
  readonly log: string[] = [];
  readonly said: string[] = [];
  readonly locks = new Set<string>();
  full = false;
  /** How long the run of the night takes; `hang` for one that has no end of its own. */
  evalMs = 2 * HOUR_MS;
  readonly #clock;
  #running: { stop: AbortController; code: Promise<number> } | null = null;

  constructor(from: string) {
    this.#clock = FakeTimers.withGlobal(globalThis).install({
      now: Date.parse(from),
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
  }

  /** Starts the schedule. */
  start(): void {
    const stop = new AbortController();
    this.#running = { stop, code: scheduleCommand(this.io(stop.signal), {}) };
  }

  /** Lets the time pass. */
  async until(time: string): Promise<void> {
    await this.#clock.tickAsync(Date.parse(time) - Date.now());
  }

  /** The clock goes on and nothing else does. */
  sleepUntil(time: string): void {
    this.#clock.setSystemTime(Date.parse(time));
  }

  /** The power goes: nothing of the process is left, the disk is. */
  crash(): void {
    const now = Date.now();
    this.#clock.reset();
    this.#clock.setSystemTime(now);
    this.locks.clear();
    this.#running = null;
  }

  async stop(): Promise<number | null> {
    this.#running?.stop.abort();
    const code = await this.#running?.code;
    this.#running = null;
    return code ?? null;
  }

  end(): void {
    this.#clock.uninstall();
  }

  kept(job: string): JobFile {
    return jobFile.parse(
      JSON.parse(this.disk.get(`/home/project/reports/schedule/${job}.json`) ?? ""),
    );
  }

  io(interrupted: AbortSignal): Io {
    const terminal = {
      out: (text: string) => void this.said.push(text),
      err: (text: string) => void this.said.push(text),
      outIsTerminal: false,
      errIsTerminal: false,
    };
    const acquire = (path: string) => {
      if (this.locks.has(path)) return Promise.resolve(null);
      this.locks.add(path);
      return Promise.resolve({ release: () => void this.locks.delete(path) });
    };
    const parts = {
      files: this.#files(),
      clock: { now: () => new Date().toISOString(), monotonicMs: () => performance.now() },
      terminal,
      git: { ask: () => Promise.resolve(null), run: () => Promise.resolve({ code: 1 }) },
      lock: { acquire },
      cron: realCron(),
      children: {
        mayStart: () => true,
        start: (child: ChildStart) => this.#child(child),
        ask: () => Promise.resolve({ code: null, out: "", err: "" }),
      },
      started: () => ({ deno: "/bin/deno", program: "/program/main.ts" }),
      env: () => undefined,
      cwd: "/home/project",
      interrupted,
      denoVersion: "2",
    };
    return parts as unknown as Io;
  }

  #files(): Pick<Files, "readText" | "readBytes" | "stat" | "list" | "writeText" | "realPath"> {
    const read = (path: string) => {
      const text = this.disk.get(path);
      return text === undefined ? Promise.reject(new Error(`no ${path}`)) : Promise.resolve(text);
    };
    return {
      readText: read,
      readBytes: async (path) => new TextEncoder().encode(await read(path)),
      stat: (path) => {
        const size = this.disk.get(path)?.length;
        return Promise.resolve(size === undefined ? null : { kind: "file", size });
      },
      list: () => Promise.resolve([]),
      realPath: (path) => Promise.resolve(path),
      writeText: (path, text) => {
        if (this.full) return Promise.reject(new Error("no space left on the disk"));
        this.disk.set(path, text);
        return Promise.resolve();
      },
    };
  }

  #child({ args, limitMs, signal }: ChildStart): Promise<ChildEnd> {
    const name = args.includes("notify") ? "summary" : "eval";
    const format = new Intl.DateTimeFormat("sv-SE", {
      dateStyle: "short",
      timeStyle: "short",
      timeZone: "Europe/Rome",
    });
    this.log.push(`${format.format(Date.now())} ${name}`);
    const takes = name === "summary" ? 60_000 : this.evalMs;
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => resolve(takes > limitMs ? { kind: "timeout" } : { kind: "exited", code: 0 }),
        Math.min(takes, limitMs),
      );
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve({ kind: "interrupted" });
      });
    });
  }
}

async function onMachine(from: string, use: (machine: Machine) => Promise<void>): Promise<void> {
  const machine = new Machine(from);
  try {
    await use(machine);
  } finally {
    await machine.stop();
    machine.end();
  }
}

Deno.test("a night at home: the run at 02:30 and the summary at 07:30, through both changes of the clocks", async () => {
  for (
    const [thursday, friday] of [
      ["2026-10-22", "2026-10-23"],
      ["2026-10-29", "2026-10-30"],
      ["2027-03-25", "2027-03-26"],
      ["2027-04-01", "2027-04-02"],
    ]
  ) {
    await onMachine(`${thursday}T20:00:00Z`, async (machine) => {
      machine.start();
      await machine.until(`${friday}T08:00:00Z`);
      assert.deepEqual(machine.log, [`${friday} 02:30 eval`, `${friday} 07:30 summary`]);
      assert.equal(machine.kept("eval").succeeded?.reason, "on_time");
      assert.equal(await machine.stop(), 0);
    });
  }
});

Deno.test("a night from Saturday to the next Friday over the change: nothing is done twice or too early", () =>
  onMachine("2026-10-24T20:00:00Z", async (machine) => {
    machine.start();
    await machine.until("2026-10-25T04:00:00Z");
    assert.deepEqual(machine.log, []);
    machine.sleepUntil("2026-10-30T01:00:00Z");
    await machine.until("2026-10-30T02:00:00Z");
    assert.deepEqual(machine.log, ["2026-10-30 02:30 eval"]);
  }));

Deno.test("a machine that slept through the night runs at once when it wakes, the run before the summary", () =>
  onMachine("2026-12-03T20:00:00Z", async (machine) => {
    machine.start();
    await machine.until("2026-12-03T22:00:00Z");
    machine.sleepUntil("2026-12-04T10:00:00Z");
    await machine.until("2026-12-04T13:00:00Z");
    assert.deepEqual(machine.log, ["2026-12-04 11:01 eval", "2026-12-04 13:01 summary"]);
    assert.equal(machine.kept("eval").succeeded?.reason, "caught_up");
    assert.equal(machine.kept("summary").succeeded?.reason, "late");
    await machine.until("2026-12-04T14:00:00Z");
    assert.equal(machine.log.length, 2);
  }));

Deno.test("a reboot in the middle of the run: it counts as crashed and is done again, then the summary", () =>
  onMachine("2026-12-03T20:00:00Z", async (machine) => {
    machine.start();
    await machine.until("2026-12-04T02:00:00Z");
    assert.equal(machine.kept("eval").last?.outcome, "running");
    machine.crash();
    machine.sleepUntil("2026-12-04T06:45:00Z");
    machine.start();
    await machine.until("2026-12-04T09:30:00Z");
    assert.deepEqual(machine.log, [
      "2026-12-04 02:30 eval",
      "2026-12-04 07:45 eval",
      "2026-12-04 09:45 summary",
    ]);
    assert.match(machine.said.join(""), /^eval: crashed: it began Fri,? 4 Dec/m);
    assert.equal(machine.kept("eval").succeeded?.attempt, 2);
  }));

Deno.test("a machine that goes down with every run stops trying after three times", () =>
  onMachine("2026-12-03T20:00:00Z", async (machine) => {
    machine.start();
    for (const hour of ["02", "03", "04", "05"]) {
      await machine.until(`2026-12-04T${hour}:00:00Z`);
      machine.crash();
      machine.start();
    }
    await machine.until("2026-12-04T06:45:00Z");
    assert.deepEqual(machine.log.map((line) => line.slice(11)), [
      "02:30 eval",
      "03:00 eval",
      "04:00 eval",
      "07:30 summary",
    ]);
  }));

Deno.test("a machine that was off for three weeks does what it missed once", () =>
  onMachine("2026-12-03T20:00:00Z", async (machine) => {
    machine.start();
    await machine.until("2026-12-03T20:05:00Z");
    machine.crash();
    machine.sleepUntil("2026-12-23T12:00:00Z");
    machine.start();
    await machine.until("2026-12-23T16:00:00Z");
    assert.deepEqual(machine.log, ["2026-12-23 13:00 eval", "2026-12-23 15:00 summary"]);
    assert.equal(machine.kept("eval").succeeded?.due, "2026-12-18T01:30:00.000Z");
  }));

Deno.test("a run that hangs is ended in time for the summary; two schedules do nothing twice", () =>
  onMachine("2026-12-03T20:00:00Z", async (machine) => {
    machine.evalMs = 100 * HOUR_MS;
    machine.start();
    await machine.until("2026-12-03T21:00:00Z");
    assert.equal(await scheduleCommand(machine.io(new AbortController().signal), {}), 3);
    await machine.until("2026-12-04T07:00:00Z");
    assert.deepEqual(machine.log, ["2026-12-04 02:30 eval", "2026-12-04 07:30 summary"]);
    assert.equal(machine.kept("eval").last?.outcome, "timeout");
    assert.equal(machine.kept("eval").last?.ended, "2026-12-04T05:30:00.000Z");
  }));

Deno.test("a disk that fills is told, and stops neither the schedule nor its jobs", () =>
  onMachine("2026-12-03T20:00:00Z", async (machine) => {
    machine.start();
    await machine.until("2026-12-03T21:00:00Z");
    machine.full = true;
    await machine.until("2026-12-04T06:00:00Z");
    assert.deepEqual(machine.log, ["2026-12-04 02:30 eval"]);
    assert.match(machine.said.join(""), /no space left on the disk/);
    assert.equal(machine.kept("eval").last, null);
    machine.full = false;
    await machine.until("2026-12-04T07:00:00Z");
    assert.equal(machine.kept("summary").last?.outcome, "completed");
  }));
