/**
 * The program in this process, in a project of its own, with a chat on this machine, a clock that
 * stands and pauses that take no time.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { cli } from "../../lib/cli/cli.ts";
import { createIo } from "../../lib/io/real.ts";
import type { Io } from "../../lib/model/ports.ts";
import type { Report } from "../../lib/model/report.ts";
import { type BotApi, serveBotApi, TOKEN } from "./bot_api.ts";

export const CHAT = "-1009876543210";
export const NOW = "2026-11-30T07:30:00+01:00";
export const ENV: Readonly<Record<string, string>> = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_CHAT_ID: CHAT };

/** telegraf keeps its connections open, the program listens for signals as long as it lives. */
export const options = { sanitizeOps: false, sanitizeResources: false } as const;

/** A project with its chat. */
export interface Bench {
  readonly folder: string;
  readonly api: BotApi;
  readonly slept: number[];
  readonly out: string[];
  readonly err: string[];
  env: Record<string, string>;
  now: string;
  /** Runs the program in this process; with a part of the outside replaced. */
  eval(args: readonly string[], over?: (io: Io) => Partial<Io>): Promise<number>;
  report(name: string, report: Report): Promise<void>;
  config(lines: string): Promise<void>;
  outbox(): Promise<Outbox[]>;
}

/** A message as it lies on the disk. */
export interface Outbox {
  readonly replacedBy: string | null;
  readonly parts: readonly {
    readonly state: string;
    readonly doubtful: boolean;
    readonly messageId: number | null;
    readonly data: string | null;
  }[];
}

/** Makes the project, uses it, looks that no secret is anywhere, removes it. */
export async function bench(use: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const api = serveBotApi();
  const real = createIo(undefined);
  const b: Bench = {
    folder,
    api,
    slept: [],
    out: [],
    err: [],
    env: { ...ENV },
    now: NOW,
    eval: (args, over) => {
      const io: Io = {
        ...real,
        cwd: folder,
        env: (name) => b.env[name],
        clock: {
          ...real.clock,
          now: () => b.now,
          sleep: (ms) => Promise.resolve(void b.slept.push(ms)),
        },
        terminal: {
          out: (text) => b.out.push(text),
          err: (text) => b.err.push(text),
          outIsTerminal: false,
          errIsTerminal: false,
        },
      };
      return cli(args, { ...io, ...over?.(io) });
    },
    report: async (name, report) => {
      const at = join(folder, "reports/runs", name);
      await Deno.mkdir(at, { recursive: true });
      await Deno.writeTextFile(join(at, "report.json"), JSON.stringify(report));
      await Deno.writeTextFile(join(at, "report.md"), "# Collaudo\n");
    },
    config: (lines) =>
      Deno.writeTextFile(
        join(folder, "collaudo.yaml"),
        `locale: it\nzone: Europe/Rome\nmask_env: [TELEGRAM_BOT_TOKEN]\n${lines}`,
      ),
    outbox: async () => {
      const at = join(folder, "reports/outbox");
      const names = [...Deno.readDirSync(at)].map(({ name }) => name)
        .filter((name) => name.endsWith(".json"));
      return await Promise.all(
        names.map(async (name) => JSON.parse(await Deno.readTextFile(join(at, name)))),
      );
    },
  };
  await b.config(channel(api.root));
  try {
    await use(b);
    await assertNoSecret(b);
  } finally {
    await api.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The lines of `collaudo.yaml` that name the chat. */
export function channel(root: string): string {
  return "notify: {telegram: {token: {env: TELEGRAM_BOT_TOKEN}, chat: {env: TELEGRAM_CHAT_ID}, " +
    `api_root: "${root}"}}\n`;
}

/** Neither what was said nor what lies on the disk holds token or chat. */
async function assertNoSecret(b: Bench): Promise<void> {
  const texts = [...b.out, ...b.err];
  const walk = async (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      if (isDirectory) await walk(path);
      else texts.push(await Deno.readTextFile(path));
    }
  };
  await walk(b.folder);
  for (const text of texts) {
    assert.ok(!text.includes("AAHdqTcvCH1v") && !text.includes(CHAT), text.slice(0, 300));
  }
}
