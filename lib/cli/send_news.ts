/**
 * How does one piece of news reach one place, once? The outbox is looked up: what was delivered is
 * not sent again, what was begun is taken up, what never arrived is told of and then settled. Stored
 * before it is sent; a disk that takes nothing more keeps no message back.
 */
import { EXIT } from "../model/exit.ts";
import { isDelivered, type OutboxMessage } from "../model/outbox.ts";
import type { Channel } from "./channels.ts";
import { type Composed, composeMessage, speechOf } from "./compose_message.ts";
import { deliver, LIMITS } from "./deliver.ts";
import type { News } from "./morning.ts";
import {
  isKept,
  messageName,
  outboxFolder,
  placeMark,
  pruneOutbox,
  readOutbox,
  writeMessage,
} from "./outbox.ts";
import type { Session } from "./session.ts";

/** How news are sent. */
export interface Sending {
  readonly channel: Channel;
  /** Attach `report.md`. */
  readonly full: boolean;
  /** Send what was delivered already once more. */
  readonly again: boolean;
}

/** Sends news to a place and tells what became of it; resolves to the exit code. */
export async function sendNews(session: Session, news: News, sending: Sending): Promise<number> {
  const { io } = session;
  // A disk that takes no lock must not keep the message back.
  const lock = await io.lock.acquire(`${outboxFolder(session)}/.lock`, true).catch(() => null);
  try {
    return io.interrupted.aborted ? EXIT.interrupted : await sendOnce(session, news, sending);
  } finally {
    lock?.release();
  }
}

async function sendOnce(
  session: Session,
  news: News,
  { channel, full, again }: Sending,
): Promise<number> {
  const all = await readOutbox(session).catch((cause) => tellDisk(session, cause) ?? []);
  const about = [
    news.about,
    ...(full ? ["in full"] : []),
    ...(again ? [`again ${session.io.clock.now()}`] : []),
  ].join(", ");
  const id = messageName(about, placeMark(channel.place));
  const before = all.find((message) => message.id === id);
  if (before !== undefined && before.parts.every(({ state }) => state === "delivered")) {
    return tellAlready(session, before, channel);
  }
  const lost = openMessages(all, channel.place, id);
  const message = before ??
    await newMessage(session, news, { id, about, lost, channel, full });
  const sent = await send(session, message, channel);
  if (isDelivered(sent)) {
    await settle(session, all, lost, sent).catch((cause) => tellDisk(session, cause));
  }
  return tell(session, sent, channel);
}

/** A message of which a file lies there that nobody can read may have arrived. */
async function newMessage(
  session: Session,
  news: News,
  composed: Composed,
): Promise<OutboxMessage> {
  const message = await composeMessage(session, news, composed);
  if (!await isKept(session, composed.id)) return message;
  return { ...message, parts: message.parts.map((part) => ({ ...part, doubtful: true })) };
}

/** A disk that cannot be used is told of, and keeps no message back. */
function tellDisk({ io, masker }: Session, cause: unknown): null {
  io.terminal.err(`${masker.mask(cause instanceof Error ? cause.message : String(cause))}\n`);
  return null;
}

/** Messages to this place, but for one, that did not arrive and that no later one told of. */
export function openMessages(
  messages: readonly OutboxMessage[],
  place: string,
  id: string | null,
): OutboxMessage[] {
  const mark = placeMark(place);
  return messages.filter((each) =>
    each.id !== id && each.chat === mark && each.replacedBy === null && !isDelivered(each)
  );
}

/** Stores the intent and sends; where the disk takes nothing more, the message says so and goes. */
async function send(
  session: Session,
  message: OutboxMessage,
  channel: Channel,
): Promise<OutboxMessage> {
  const { words } = speechOf(session);
  let isTold = false;
  const store = async (current: OutboxMessage) => {
    try {
      await writeMessage(session, current);
      return true;
    } catch (cause) {
      if (!isTold) tellDisk(session, cause);
      isTold = true;
      return false;
    }
  };
  await store(message);
  return await deliver(message, {
    io: session.io,
    limits: { ...LIMITS, timeoutMs: channel.timeoutMs },
    repeat: words.repeat,
    unstored: words.unstored,
    send: channel.send,
    store,
  });
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

/** What a delivered message is known by: its numbers in a chat, else its channel. */
function nameOf({ parts }: OutboxMessage, { name }: Channel): string {
  const ids = parts.flatMap(({ messageId }) => messageId === null ? [] : [messageId]).join(", ");
  return ids === "" ? name : ids;
}

function tellAlready(session: Session, message: OutboxMessage, channel: Channel): number {
  const { words, format } = speechOf(session);
  const when = message.parts[0]?.deliveredAt ?? message.written;
  session.io.terminal.out(`${words.cli.already(nameOf(message, channel), format, when)}\n`);
  return EXIT.ok;
}

function tell(session: Session, message: OutboxMessage, channel: Channel): number {
  const { io, masker } = session;
  const { words } = speechOf(session);
  const left = message.parts.find(({ state }) => state !== "delivered");
  const why = masker.mask(left?.why ?? "");
  if (isDelivered(message)) {
    io.terminal.out(`${words.cli.delivered(nameOf(message, channel))}\n`);
    if (left !== undefined) io.terminal.err(`${words.cli.noPicture(why)}\n`);
    return EXIT.ok;
  }
  const told = words.cli.undelivered(channel.name, why);
  io.terminal.err(`error: ${told}\n  fix: ${words.cli.kept}\n`);
  return io.interrupted.aborted ? EXIT.interrupted : EXIT.undecided;
}
