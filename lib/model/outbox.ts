/**
 * What becomes of a message between its writing and its delivery? `reports/outbox/<id>.json`, written
 * before each call and after it: what stands there tells a process that starts anew whether a part
 * was never sent, surely delivered, or sent without an answer that was stored.
 */
import { z } from "zod";
import { isoTime } from "./common.ts";

/**
 * One call of the interface. `waiting`: not sent, or surely not accepted. `sending`: sent, and what
 * became of it was not stored yet. `delivered`: its message id is stored.
 */
export const outboxPart = z.strictObject({
  kind: z.enum(["text", "photo", "document"]),
  text: z.string().describe("The message in Telegram's HTML mode, or a caption"),
  name: z.string().nullable().describe("File name of a picture or document"),
  data: z.string().nullable().describe("Its bytes in base64, dropped once delivered"),
  state: z.enum(["waiting", "sending", "delivered"]),
  doubtful: z.boolean().describe("It may have been accepted before: sent again, it says so"),
  plain: z.boolean().describe("Without markup, since the interface refused it"),
  tries: z.int().min(0),
  why: z.string().nullable().describe("Why the latest try failed; never the token"),
  messageId: z.int().nullable().describe("What a chat calls it; other channels give no number"),
  deliveredAt: isoTime.nullable(),
});

/** One message with its picture. */
export const outboxMessage = z.strictObject({
  schema: z.literal("collaudo/outbox@1"),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  about: z.string().describe("What it tells of: a report, or a run that did not come"),
  head: z.string().describe("The verdict in its first line"),
  chat: z.string().describe("A hash of the chat or address; neither stands anywhere itself"),
  written: isoTime,
  replacedBy: z.string().nullable().describe("The message that said that this one did not arrive"),
  parts: z.array(outboxPart).min(1),
});

export type OutboxPart = z.infer<typeof outboxPart>;
export type OutboxMessage = z.infer<typeof outboxMessage>;

/** True where every text of the message is surely there; pictures may still be missing. */
export function isDelivered({ parts }: OutboxMessage): boolean {
  return parts.every(({ kind, state }) => kind !== "text" || state === "delivered");
}

/** True where a part may be there without anybody knowing. */
export function isDoubtful({ parts }: OutboxMessage): boolean {
  return parts.some(({ state, doubtful }) =>
    state === "sending" || (state === "waiting" && doubtful)
  );
}
