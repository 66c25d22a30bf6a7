/**
 * Where does a message go, and how is one call made there? The channels of `collaudo.yaml` and the
 * environment in; for each one place with its call out, or the exit code of a command that cannot
 * reach it. Secrets come from the environment and are known here alone, to be kept out of messages.
 */
import type { Config } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import type { ChatAddress, ChildEnd, Sendable, SendOptions, SendOutcome } from "../model/ports.ts";
import { escapeTerminal } from "../report/escape.ts";
import { createMasker } from "../report/mask.ts";
import { plainMessage } from "../report/split_message.ts";
import { API_ROOT } from "./channel_needs.ts";
import type { SentMessage } from "./deliver.ts";
import { taskCall } from "./reproduce.ts";
import { refuse, type Session } from "./session.ts";

/** The names of the channels, as `--to` takes them. */
export const CHANNELS = ["telegram", "webhook", "command"] as const;

/** How a chat is named. */
export const CHAT = /^(?:-?\d+|@\w+)$/;

export type ChannelName = (typeof CHANNELS)[number];

/** One place that messages go to. */
export interface Channel {
  readonly name: ChannelName;
  /** What it is known by; only a hash of it is kept. */
  readonly place: string;
  /** Never part of a message or an error. */
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  send(part: Sendable, about: SentMessage, options: SendOptions): Promise<SendOutcome>;
}

type Webhook = NonNullable<Config["notify"]["webhook"]>;
type Command = NonNullable<Config["notify"]["command"]>;

/** Time limit of one call of the Bot API; its pictures take longer than its texts. */
const CHAT_MS = 30_000;

/** The channels that are configured. */
export function configured({ project }: Session): ChannelName[] {
  return CHANNELS.filter((name) => project.config.notify[name] !== undefined);
}

/** A configured channel; an exit code where something of it is missing, which is told. */
export function openChannel(session: Session, name: ChannelName): Channel | number {
  const { telegram, webhook, command } = session.project.config.notify;
  if (name === "webhook" && webhook !== undefined) return webhookChannel(session, webhook);
  if (name === "command" && command !== undefined) return commandChannel(session, command);
  if (name !== "telegram" || telegram === undefined) {
    return refuse(
      session.io,
      `No channel "${name}"`,
      `describe notify.${name} in collaudo.yaml`,
    );
  }
  return telegramChannel(session, null);
}

/** The chat of the configuration, or another one. */
export function telegramChannel(session: Session, chat: string | null): Channel | number {
  const address = chatAddress(session, chat);
  if (typeof address === "number") return address;
  return {
    name: "telegram",
    place: `chat ${address.chat}`,
    secrets: [address.token],
    timeoutMs: CHAT_MS,
    send: (part, _, options) => session.io.chat.send(address, part, options),
  };
}

/** Token and chat, from the environment; an exit code where something is missing. */
export function chatAddress({ io, project }: Session, to: string | null): ChatAddress | number {
  const { telegram } = project.config.notify;
  if (telegram === undefined) {
    return refuse(
      io,
      "No chat to notify",
      "add notify.telegram with `token` and `chat` to collaudo.yaml",
    );
  }
  const token = (io.env(telegram.token.env) ?? "").trim();
  if (token === "") return unset(io, telegram.token.env, "the token of the bot");
  if (!/^\d+:[\w-]+$/.test(token)) {
    return unfit(io, telegram.token.env, "the token of a bot, such as 123:abc");
  }
  const chat = to ?? (io.env(telegram.chat.env) ?? "").trim();
  if (chat === "") return unset(io, telegram.chat.env, "the number of the chat");
  if (!CHAT.test(chat)) return unfit(io, telegram.chat.env, "the number of a chat, or @its_name");
  return { token, chat, apiRoot: telegram.api_root ?? API_ROOT };
}

function unset(io: Session["io"], name: string, what: string): number {
  return refuse(io, `Environment variable "${name}" is not set`, `put ${what} there`);
}

/** What stands there may be a secret in the wrong place: it is not shown. */
function unfit(io: Session["io"], name: string, wanted: string): number {
  return refuse(
    io,
    `Environment variable "${name}" holds something else than ${wanted}`,
    "put it there without quotes and without spaces",
  );
}

type Given = string | { readonly env: string };

/** The texts of a record, those of the environment looked up; an exit code where one is not set. */
function resolved(
  { io }: Session,
  given: Readonly<Record<string, Given>>,
  what: string,
): { readonly texts: Record<string, string>; readonly secrets: string[] } | number {
  const texts: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "string") texts[name] = value;
    else {
      const text = (io.env(value.env) ?? "").trim();
      if (text === "") return unset(io, value.env, what);
      texts[name] = text;
      secrets.push(text);
    }
  }
  return { texts, secrets };
}

function webhookChannel(session: Session, webhook: Webhook): Channel | number {
  const address = resolved(session, { url: webhook.url }, "the address of the webhook");
  if (typeof address === "number") return address;
  const headers = resolved(session, webhook.headers, "the value of the header");
  if (typeof headers === "number") return headers;
  const url = address.texts["url"] ?? "";
  return {
    name: "webhook",
    place: `webhook ${url}`,
    secrets: [...address.secrets, ...headers.secrets],
    timeoutMs: webhook.timeout_s * 1000,
    send: async (part, about, options) => {
      const body = await bodyOf(webhook.body, part, { about, session });
      if (body === undefined) {
        return { kind: "refused", why: "the template of `body` gives no JSON", markup: false };
      }
      return await session.io.webhook.post({ url, headers: headers.texts, body }, options);
    },
  };
}

/** The JSON of a message by the template; undefined where that gives none. */
async function bodyOf(
  template: string,
  part: Sendable,
  { about: { message, repeat }, session }: {
    readonly about: SentMessage;
    readonly session: Session;
  },
): Promise<Json | undefined> {
  const text = textOf(part);
  const { id, head, written } = message;
  const { locale } = session.project.config;
  const [first = ""] = text.split("\n");
  const input = { text, first, verdict: head, id, written, locale, repeat };
  const { evaluateExpression } = await import("../expression/compile.ts");
  const made = await evaluateExpression(template, { input, bindings: {} });
  return made.kind === "value" ? made.value : undefined;
}

function textOf(part: Sendable): string {
  if (part.kind !== "text") return part.caption;
  return part.html ? plainMessage(part.text) : part.text;
}

/** How much of what a failing program said is shown. */
const SAID_MAX = 1_000;

/** What of the environment a program cannot do without. */
const PASSED = ["PATH", "HOME", "LANG", "TERM", "TMPDIR"];

function commandChannel(session: Session, command: Command): Channel | number {
  const { io, project } = session;
  if (!io.children.mayStart()) {
    return refuse(
      io,
      "This task may not start the program of notify.command",
      `use \`${taskCall(io, "notify:any")}\``,
    );
  }
  const env = resolved(session, command.env, "what the program needs");
  if (typeof env === "number") return env;
  const [program = "", ...args] = command.argv;
  const passed = PASSED.flatMap((name) => {
    const value = io.env(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    name: "command",
    place: `command ${JSON.stringify(command.argv)}`,
    secrets: env.secrets,
    timeoutMs: command.timeout_s * 1000,
    send: async (part, _, { timeoutMs, signal }) => {
      let said = "";
      const end = await io.children.start({
        program,
        args,
        cwd: project.root,
        env: { ...Object.fromEntries(passed), ...env.texts },
        bare: true,
        input: `${textOf(part)}\n`,
        limitMs: timeoutMs,
        signal,
        said: (stream, text) => said = stream === "err" ? (said + text).slice(-SAID_MAX) : said,
      });
      const outcome = outcomeOf(end, timeoutMs);
      if (outcome.kind !== "sent") tellSaid(session, said, env.secrets);
      return outcome;
    },
  };
}

/** For a person at the terminal: it is kept nowhere, since it may hold anything. */
function tellSaid({ io, masker }: Session, said: string, secrets: readonly string[]): void {
  const masked = createMasker([...secrets]).mask(masker.mask(said)).trim();
  for (const line of masked === "" ? [] : masked.split("\n")) {
    io.terminal.err(`  ${escapeTerminal(line)}\n`);
  }
}

/** A program that failed may have sent the message before. */
function outcomeOf(end: ChildEnd, timeoutMs: number): SendOutcome {
  if (end.kind === "exited" && end.code === 0) return { kind: "sent", messageId: null };
  if (end.kind === "exited") return { kind: "unsure", why: `the program said ${end.code}` };
  if (end.kind === "killed") return { kind: "unsure", why: `the program ended by ${end.signal}` };
  if (end.kind === "interrupted") return { kind: "unsure", why: "interrupted" };
  if (end.kind === "timeout") {
    return { kind: "unsure", why: `the program took longer than ${timeoutMs / 1000} s` };
  }
  return { kind: "refused", why: "the program could not be started", markup: false };
}
