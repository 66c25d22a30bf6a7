/**
 * `notify [REPORT]`: one message about the newest report, or that no run came, to the chat of the
 * configuration. The same news goes to a chat once; what could not be delivered stays in the outbox,
 * is taken up again, and is told of in the next message. Exits 0 delivered (now or before), 2 where
 * nothing can be sent, 3 where it was not delivered, 130 interrupted.
 */
import { Buffer } from "node:buffer";
import { EXIT } from "../model/exit.ts";
import { isDelivered, isDoubtful, type OutboxMessage, type OutboxPart } from "../model/outbox.ts";
import type { ChatAddress } from "../model/ports.ts";
import { createFormat } from "../report/format.ts";
import { createMasker } from "../report/mask.ts";
import { MESSAGE_MAX, splitMessage } from "../report/split_message.ts";
import { headOf, renderMessage, type Undelivered } from "../report/summary.ts";
import { trendSvg } from "../report/trend_svg.ts";
import { summaryWordsOf } from "../report/words_summary.ts";
import { deliver, type Delivery, LIMITS } from "./deliver.ts";
import { type News, newsOf, newsOfToday, nextRun } from "./morning.ts";
import {
  chatMark,
  messageName,
  outboxFolder,
  pruneOutbox,
  readOutbox,
  writeMessage,
} from "./outbox.ts";
import { programOf } from "./reproduce.ts";
import { join, openSession, refuse, type Session } from "./session.ts";
import { dayIn } from "./standing.ts";
import { trendPoints } from "./trend_history.ts";

/** The options of `notify`, as commander gives them. */
export interface NotifyOptions {
  readonly dryRun?: boolean;
  /** Chat instead of the configured one. */
  readonly to?: string;
  /** Attach `report.md`. */
  readonly full?: boolean;
  /** Send what was delivered already once more. */
  readonly again?: boolean;
}

const API_ROOT = "https://api.telegram.org";

/** Room for what is added to a text that is sent again. */
const TEXT_MAX = MESSAGE_MAX - 64;

/** Runs the command; resolves to its exit code. */
export async function notifyCommand(
  io: Session["io"],
  path: string | null,
  options: NotifyOptions,
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  if (options.dryRun === true) return await preview(session, path, options);
  const address = addressOf(session, options.to);
  if (typeof address === "number") return address;
  // A disk that takes no lock must not keep the message back.
  const lock = await io.lock.acquire(`${outboxFolder(session)}/.lock`, true).catch(() => null);
  try {
    return io.interrupted.aborted
      ? EXIT.interrupted
      : await notify(session, { path, options, address });
  } finally {
    lock?.release();
  }
}

/** Token and chat, from the environment; an exit code where something is missing. */
function addressOf({ io, project }: Session, to: string | undefined): ChatAddress | number {
  const { telegram } = project.config.notify;
  if (telegram === undefined) {
    return refuse(
      io,
      "No channel to notify",
      "add notify.telegram with `token` and `chat` to collaudo.yaml",
    );
  }
  const token = io.env(telegram.token.env) ?? "";
  if (token === "") return unset(io, telegram.token.env, "the token of the bot");
  const chat = to ?? io.env(telegram.chat.env) ?? "";
  if (chat === "") return unset(io, telegram.chat.env, "the number of the chat");
  return { token, chat, apiRoot: telegram.api_root ?? API_ROOT };
}

function unset(io: Session["io"], name: string, what: string): number {
  return refuse(io, `Environment variable "${name}" is not set`, `put ${what} there`);
}

async function news(session: Session, path: string | null): Promise<News | null> {
  if (path === null) return await newsOfToday(session);
  const named = join(session.io.cwd, path);
  const stat = await session.io.files.stat(named);
  return await newsOf(session, stat?.kind === "folder" ? `${named}/report.json` : named);
}

/** Prints what would be sent; asks for no token and writes nothing. */
async function preview(
  session: Session,
  path: string | null,
  options: NotifyOptions,
): Promise<number> {
  const { io, project } = session;
  const found = await news(session, path);
  if (found === null) return EXIT.usage;
  const { words } = speech(session);
  const { telegram } = project.config.notify;
  const chat = options.to ?? (telegram === undefined ? undefined : io.env(telegram.chat.env));
  const lost = chat === undefined ? [] : open(await readOutbox(session), chat, null);
  io.terminal.out(`${session.masker.mask(await text(session, found, lost))}\n`);
  for (const part of await attachments(session, found, options)) {
    io.terminal.err(`${words.cli.attached(part.name ?? part.kind)}\n`);
  }
  return EXIT.ok;
}

interface Wanted {
  readonly path: string | null;
  readonly options: NotifyOptions;
  readonly address: ChatAddress;
}

async function notify(session: Session, { path, options, address }: Wanted): Promise<number> {
  const found = await news(session, path);
  if (found === null) return EXIT.usage;
  const all = await readOutbox(session);
  const about = [
    found.about,
    ...(options.full === true ? ["in full"] : []),
    ...(options.again === true ? [`again ${session.io.clock.now()}`] : []),
  ].join(", ");
  const id = messageName(about, chatMark(address.chat));
  const before = all.find((message) => message.id === id);
  if (before !== undefined && before.parts.every(({ state }) => state === "delivered")) {
    return tellAlready(session, before);
  }
  const lost = open(all, address.chat, id);
  const message = before ?? await compose(session, found, { id, about, lost, options, address });
  const sent = await send(session, message, address);
  if (isDelivered(sent)) await settle(session, all, lost, sent);
  return tell(session, sent);
}

/** Messages to this chat that did not arrive and that no later one told of. */
function open(
  messages: readonly OutboxMessage[],
  chat: string,
  id: string | null,
): OutboxMessage[] {
  return messages.filter((each) =>
    each.id !== id && each.chat === chatMark(chat) && each.replacedBy === null && !isDelivered(each)
  );
}

async function compose(
  session: Session,
  found: News,
  { id, about, lost, options, address }: {
    readonly id: string;
    readonly about: string;
    readonly lost: readonly OutboxMessage[];
    readonly options: NotifyOptions;
    readonly address: ChatAddress;
  },
): Promise<OutboxMessage> {
  const masked = createMasker([address.token]).mask(
    session.masker.mask(await text(session, found, lost)),
  );
  const texts = splitMessage(masked, TEXT_MAX).map((text) => newPart({ kind: "text", text }));
  return {
    schema: "collaudo/outbox@1",
    id,
    about,
    head: headOf(found.told, session.project.config.locale),
    chat: chatMark(address.chat),
    written: session.io.clock.now(),
    replacedBy: null,
    parts: [...texts, ...await attachments(session, found, options)],
  };
}

async function text(
  session: Session,
  { told }: News,
  lost: readonly OutboxMessage[],
): Promise<string> {
  const { io, project: { config } } = session;
  const undelivered: Undelivered[] = lost.map((message) => ({
    when: message.written,
    verdict: message.head,
    doubtful: isDoubtful(message),
  }));
  return renderMessage({
    told,
    undelivered,
    nextRun: await nextRun(session),
    today: dayIn(config.zone, io.clock.now()),
    program: programOf(io),
  }, config);
}

function newPart(over: Pick<OutboxPart, "kind" | "text"> & Partial<OutboxPart>): OutboxPart {
  return {
    name: null,
    data: null,
    state: "waiting",
    doubtful: false,
    plain: false,
    tries: 0,
    why: null,
    messageId: null,
    deliveredAt: null,
    ...over,
  };
}

/** The picture where there is a history, and the whole report where it is asked for. */
async function attachments(
  session: Session,
  { told, file }: News,
  options: NotifyOptions,
): Promise<OutboxPart[]> {
  if (told.kind === "no_run") return [];
  const picture = await drawing(session, told.report);
  if (options.full !== true || file === null) return picture;
  const report = await session.io.files.readBytes(file);
  const data = Buffer.from(report).toString("base64");
  return [...picture, newPart({ kind: "document", text: "", name: "report.md", data })];
}

/** A picture that cannot be drawn is told of; the message goes without it. */
async function drawing(
  session: Session,
  report: Parameters<typeof trendPoints>[1],
): Promise<OutboxPart[]> {
  const { io, project: { config } } = session;
  const { words, format } = speech(session);
  try {
    const points = await trendPoints(session, report);
    const svg = trendSvg(points, { ...config, currency: report.currency });
    if (svg === null) return [];
    const data = Buffer.from(await io.picture.png(svg)).toString("base64");
    const text = words.picture(format, points.length);
    return [newPart({ kind: "photo", text, name: "trend.png", data })];
  } catch (cause) {
    io.terminal.err(
      `${words.cli.noPicture(cause instanceof Error ? cause.message : String(cause))}\n`,
    );
    return [];
  }
}

function speech({ project: { config } }: Session) {
  return {
    words: summaryWordsOf(config.locale),
    format: createFormat(config.locale, config.zone, config.currency),
  };
}

/** Stores the intent and sends; where the disk takes nothing more, the message says so and goes. */
async function send(
  session: Session,
  message: OutboxMessage,
  address: ChatAddress,
): Promise<OutboxMessage> {
  const { words } = speech(session);
  const delivery: Delivery = {
    io: session.io,
    address,
    limits: LIMITS,
    repeat: words.repeat,
    store: (current) => writeMessage(session, current),
  };
  try {
    await writeMessage(session, message);
  } catch (cause) {
    session.io.terminal.err(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    const parts = message.parts.map((part, i) =>
      i === 0 ? { ...part, text: `${part.text}\n${words.unstored}` } : part
    );
    return await deliver({ ...message, parts }, { ...delivery, store: () => Promise.resolve() });
  }
  return await deliver(message, delivery);
}

/** Notes that the message told of those that did not arrive, and drops what is long settled. */
async function settle(
  session: Session,
  all: readonly OutboxMessage[],
  lost: readonly OutboxMessage[],
  sent: OutboxMessage,
): Promise<void> {
  const told = lost.filter(({ written }) => Date.parse(written) < Date.parse(sent.written));
  for (const message of told) {
    await writeMessage(session, { ...message, replacedBy: sent.id });
  }
  await pruneOutbox(session, all);
}

function messageIds({ parts }: OutboxMessage): string {
  return parts.flatMap(({ messageId }) => messageId === null ? [] : [messageId]).join(", ");
}

function tellAlready(session: Session, message: OutboxMessage): number {
  const { words, format } = speech(session);
  const when = message.parts[0]?.deliveredAt ?? message.written;
  session.io.terminal.out(`${words.cli.already(messageIds(message), format, when)}\n`);
  return EXIT.ok;
}

function tell({ io, masker, project: { config } }: Session, message: OutboxMessage): number {
  const words = summaryWordsOf(config.locale);
  const left = message.parts.find(({ state }) => state !== "delivered");
  const why = masker.mask(left?.why ?? "");
  if (isDelivered(message)) {
    io.terminal.out(`${words.cli.delivered(messageIds(message))}\n`);
    if (left !== undefined) io.terminal.err(`${words.cli.noPicture(why)}\n`);
    return EXIT.ok;
  }
  io.terminal.err(`error: ${words.cli.undelivered(why)}\n  fix: ${words.cli.kept}\n`);
  return io.interrupted.aborted ? EXIT.interrupted : EXIT.undecided;
}
