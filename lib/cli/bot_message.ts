/** How does an answer of the bot look to the delivery? A text in; a message that lies nowhere out. */
import type { OutboxMessage } from "../model/outbox.ts";
import type { ChatAddress } from "../model/ports.ts";
import { createMasker } from "../report/mask.ts";
import { splitMessage } from "../report/split_message.ts";
import { newPart } from "./compose_message.ts";
import { messageName, placeMark } from "./outbox.ts";
import type { Session } from "./session.ts";

/** The message of an answer, in as many parts as a chat takes. */
export function answerMessage(
  { io }: Session,
  text: string,
  { token, chat }: ChatAddress,
): OutboxMessage {
  const mark = placeMark(`chat ${chat}`);
  const written = io.clock.now();
  return {
    schema: "collaudo/outbox@1",
    id: messageName(`answer ${written}`, mark),
    about: "answer",
    head: "answer",
    chat: mark,
    written,
    replacedBy: null,
    parts: splitMessage(createMasker([token]).mask(text))
      .map((part) => newPart({ kind: "text", text: part })),
  };
}
