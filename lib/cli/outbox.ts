/**
 * Which messages lie on the disk? Reads and writes `reports/outbox`, one file a message. A file that
 * cannot be read is told of and passed over: it must not keep the next message from being sent.
 */
import { readJsonFile } from "../load/json_file.ts";
import { hashText } from "../model/hash.ts";
import { type OutboxMessage, outboxMessage } from "../model/outbox.ts";
import { isDelivered } from "../model/outbox.ts";
import { join, printProblems, type Session } from "./session.ts";

const FOLDER = "reports/outbox";

/** How many settled messages are kept. */
const KEPT_MAX = 60;

/** The folder of a project's messages. */
export function outboxFolder({ project }: Session): string {
  return join(project.root, FOLDER);
}

/** The name of a message: the same for the same news to the same place, so that it is sent once. */
export function messageName(about: string, mark: string): string {
  return hashText(`${about}\n${mark}`).slice("sha256:".length).slice(0, 16);
}

/** What stands for a place, such as `chat 5`, in the files: nobody reads the place out of it. */
export function placeMark(place: string): string {
  return hashText(place).slice("sha256:".length).slice(0, 16);
}

/** All messages, oldest first. */
export async function readOutbox(session: Session): Promise<OutboxMessage[]> {
  const { io, project } = session;
  const folder = outboxFolder(session);
  const messages: OutboxMessage[] = [];
  for (const { name, kind } of await io.files.list(folder)) {
    if (kind !== "file" || !/^[0-9a-f]{16}\.json$/.test(name)) continue;
    const path = `${folder}/${name}`;
    const wanted = { path, noun: "message", schema: outboxMessage };
    const { value, problems } = await readJsonFile(io.files, project, wanted);
    if (value === null) await printProblems(io, problems, project.root);
    else messages.push(value);
  }
  const time = ({ written }: OutboxMessage) => Date.parse(written);
  return messages.sort((a, b) => time(a) - time(b));
}

/** Writes a message whole or not at all. */
export async function writeMessage(session: Session, message: OutboxMessage): Promise<void> {
  const text = `${JSON.stringify(message, null, 1)}\n`;
  await session.io.files.writeText(pathOf(session, message.id), text);
}

/** True where a message lies there, be it readable or not. */
export async function isKept(session: Session, id: string): Promise<boolean> {
  return await session.io.files.stat(pathOf(session, id)).catch(() => null) !== null;
}

function pathOf(session: Session, id: string): string {
  return `${outboxFolder(session)}/${id}.json`;
}

/** Removes the oldest of the messages that nothing is left to do for. */
export async function pruneOutbox(
  session: Session,
  messages: readonly OutboxMessage[],
): Promise<void> {
  const settled = messages.filter((each) => isDelivered(each) || each.replacedBy !== null);
  for (const { id } of settled.slice(0, Math.max(0, settled.length - KEPT_MAX))) {
    await session.io.files.remove(pathOf(session, id));
  }
}
