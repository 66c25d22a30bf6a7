/**
 * How does a message get to its place at least once, and once only as far as anybody can know? Before
 * each call the disk says "sending", after it what became of it. What was surely not accepted is sent
 * again as it is; what may have been accepted is sent again saying so. Delivered is what was stored as
 * accepted, in a chat with its message id. Pauses grow; a place that names a pause is obeyed. A disk
 * that takes nothing keeps no message back: the text then says that it may come again.
 */
import { Buffer } from "node:buffer";
import { match } from "ts-pattern";
import { isDelivered, type OutboxMessage, type OutboxPart } from "../model/outbox.ts";
import type { Io, Sendable, SendOptions, SendOutcome } from "../model/ports.ts";
import { markFirstLine, plainMessage } from "../report/split_message.ts";

/** Limits of the delivery. */
export interface DeliveryLimits {
  readonly timeoutMs: number;
  /** Before the second try, the third, and so on; there are no more tries than that. */
  readonly pausesMs: readonly number[];
  /** A longer pause is not waited for: the message stays in the outbox. */
  readonly pauseMaxMs: number;
}

/** Some four minutes in all: a router that starts anew is waited for, a night is not. */
export const LIMITS: DeliveryLimits = {
  timeoutMs: 30_000,
  pausesMs: [2_000, 6_000, 20_000, 60_000, 120_000],
  pauseMaxMs: 300_000,
};

/** The message that a part is of. */
export interface SentMessage {
  readonly message: OutboxMessage;
  /** It may have been accepted before. */
  readonly repeat: boolean;
}

/** What a delivery is made with. */
export interface Delivery {
  readonly io: Pick<Io, "clock" | "interrupted">;
  readonly limits: DeliveryLimits;
  /** Said at the end of the first line of a text that may be there already. */
  readonly repeat: string;
  /** Said at the end of a message of which the disk knows nothing while it is sent. */
  readonly unstored: string;
  /** One call; `about` is the message that the part is of, and whether it may be there already. */
  send(part: Sendable, about: SentMessage, options: SendOptions): Promise<SendOutcome>;
  /** Puts the message on the disk; false where that takes nothing. */
  store(message: OutboxMessage): Promise<boolean>;
}

/**
 * Sends what is not delivered yet, part after part, and gives back the message as it then lies on the
 * disk. A text that is not delivered keeps the following parts back; a picture does not.
 */
export async function deliver(message: OutboxMessage, delivery: Delivery): Promise<OutboxMessage> {
  let current = message;
  for (let i = 0; i < current.parts.length; i++) {
    current = await deliverPart(current, i, delivery);
    if (!isDelivered({ ...current, parts: current.parts.slice(0, i + 1) })) break;
    if (delivery.io.interrupted.aborted) break;
  }
  return current;
}

async function deliverPart(
  message: OutboxMessage,
  at: number,
  delivery: Delivery,
): Promise<OutboxMessage> {
  let current = message;
  const update = async (change: Partial<OutboxPart>) => {
    current = withPart(current, at, change);
    return await delivery.store(current);
  };
  for (let tried = 0;; tried++) {
    const part = current.parts[at];
    if (part === undefined || part.state === "delivered") return current;
    const doubtful = part.doubtful || part.state === "sending";
    const known = await update({ state: "sending", doubtful, tries: part.tries + 1 });
    const about = { message: current, repeat: doubtful };
    const text = known || at > 0 ? part.text : `${part.text}\n${delivery.unstored}`;
    const outcome = await send({ ...part, text, doubtful }, about, delivery);
    const next = after(outcome, { ...part, doubtful }, tried, delivery);
    await update(next.change);
    if (next.pauseMs === null || !await paused(next.pauseMs, delivery)) return current;
  }
}

function withPart(message: OutboxMessage, at: number, change: Partial<OutboxPart>): OutboxMessage {
  const parts = message.parts.map((part, i) => i === at ? { ...part, ...change } : part);
  return { ...message, parts };
}

async function send(
  part: OutboxPart,
  about: SentMessage,
  delivery: Delivery,
): Promise<SendOutcome> {
  const { io, limits } = delivery;
  const options = { timeoutMs: limits.timeoutMs, signal: io.interrupted };
  return await delivery.send(sendable(part, delivery.repeat), about, options);
}

function sendable(part: OutboxPart, repeat: string): Sendable {
  const marked = part.doubtful ? markFirstLine(part.text, repeat) : part.text;
  if (part.kind === "text") {
    const text = part.plain ? plainMessage(marked) : marked;
    return { kind: "text", text, html: !part.plain, quiet: false };
  }
  const bytes = new Uint8Array(Buffer.from(part.data ?? "", "base64"));
  return { kind: part.kind, name: part.name ?? "file", bytes, caption: marked };
}

interface Next {
  readonly change: Partial<OutboxPart>;
  /** How long to wait before the next try; null where there is none. */
  readonly pauseMs: number | null;
}

/** What is stored after a call, and whether there is another. */
function after(
  outcome: SendOutcome,
  part: OutboxPart,
  tried: number,
  { io, limits }: Delivery,
): Next {
  const pauseMs = limits.pausesMs[tried] ?? null;
  return match<SendOutcome, Next>(outcome)
    .with({ kind: "sent" }, ({ messageId }) => ({
      change: {
        state: "delivered",
        data: null,
        why: null,
        messageId,
        deliveredAt: io.clock.now(),
      },
      pauseMs: null,
    }))
    .with({ kind: "busy" }, ({ retryAfterS }) => ({
      change: { state: "waiting", why: `too many messages: wait ${retryAfterS} s` },
      pauseMs: pauseMs === null || retryAfterS * 1000 > limits.pauseMaxMs
        ? null
        : Math.max(pauseMs, retryAfterS * 1000),
    }))
    .with({ kind: "unreached" }, ({ why }) => ({ change: { state: "waiting", why }, pauseMs }))
    .with({ kind: "unsure" }, ({ why }) => ({
      change: { state: "waiting", doubtful: true, why },
      pauseMs,
    }))
    .with({ kind: "refused" }, ({ why, markup }) => ({
      change: markup && !part.plain
        ? { state: "waiting", plain: true, why }
        : { state: "waiting", why },
      pauseMs: markup && !part.plain && part.kind === "text" ? 0 : null,
    }))
    .exhaustive();
}

/** False where the pause was cut short. */
async function paused(ms: number, { io }: Delivery): Promise<boolean> {
  if (io.interrupted.aborted) return false;
  if (ms === 0) return true;
  return await io.clock.sleep(ms, io.interrupted).then(() => true, () => false);
}
