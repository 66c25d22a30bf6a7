/**
 * How does a program that starts its tool server as a child reach ours? A program of its own, started
 * with the server's address: each line of its input is one message, posted there; each answer is one
 * line of its output. Requests go one after the other, so that their order is the order of the lines;
 * a call that is taken back is told at once. Needs no permission but the network of this machine.
 */
import { linesOf } from "./lines.ts";

/** How long calls may still go on when nobody can read their answers any more. */
const LAST_MS = 1000;
const FAILED = -32000;
const SESSION = "mcp-session-id";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Id = string | number;

const url = Deno.args[0] ?? "";
const output = Deno.stdout.writable.getWriter();
let session: string | null = null;
let last: Promise<unknown> = Promise.resolve();
/** What needs no order: posted at once. */
let others: Promise<unknown> = Promise.resolve();

async function pass(line: string, id: Id | null): Promise<void> {
  try {
    const named: Record<string, string> = session === null ? {} : { [SESSION]: session };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...named,
    };
    const answer = await fetch(url, { method: "POST", headers, body: line });
    session = answer.headers.get(SESSION) ?? session;
    const text = await answer.text();
    const isMessage = answer.headers.get("content-type")?.startsWith("application/json") === true;
    if (isMessage && (id === null || answer.ok)) await say(text);
    else if (id !== null) await refuse(id, `The tool server answered with status ${answer.status}`);
  } catch {
    if (id !== null) await refuse(id, "The tool server cannot be reached");
  }
}

async function refuse(id: Id, message: string): Promise<void> {
  await say(JSON.stringify({ jsonrpc: "2.0", id, error: { code: FAILED, message } }));
}

async function say(line: string): Promise<void> {
  await output.write(new TextEncoder().encode(`${line}\n`));
}

/** The id of a request; null where the line is a notification, or no message at all. */
function idOf(line: string): Id | null {
  try {
    const message: Json = JSON.parse(line);
    if (typeof message !== "object" || message === null || Array.isArray(message)) return null;
    const { id, method } = message;
    return typeof method === "string" && (typeof id === "string" || typeof id === "number")
      ? id
      : null;
  } catch {
    return null;
  }
}

const decoder = new TextDecoder();
for await (const bytes of linesOf(Deno.stdin.readable)) {
  const line = decoder.decode(bytes);
  if (line.trim() === "") continue;
  const id = idOf(line);
  if (id === null) others = Promise.all([others, pass(line, null)]);
  else last = last.then(() => pass(line, id));
}
await Promise.race([
  Promise.all([last, others]),
  new Promise((resolve) => setTimeout(resolve, LAST_MS)),
]);
Deno.exit(0);
