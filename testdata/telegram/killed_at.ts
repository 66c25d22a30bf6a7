/**
 * The program, ended by SIGKILL at one step of its work: before and after each write and removal in
 * the outbox and each call of the Bot API, counted from 1. COLLAUDO_KILL_AT names the step; without it the
 * number of steps is printed.
 */
import { cli } from "../../lib/cli/cli.ts";
import { createIo } from "../../lib/io/real.ts";

const at = Number(Deno.env.get("COLLAUDO_KILL_AT") ?? "0");
let step = 0;

async function around<T>(effect: () => Promise<T>): Promise<T> {
  if (++step === at) Deno.kill(Deno.pid, "SIGKILL");
  const value = await effect();
  if (++step === at) Deno.kill(Deno.pid, "SIGKILL");
  return value;
}

/** What else is written is no step of sending, and need not be the same at every start. */
function aroundOutbox<T>(path: string, effect: () => Promise<T>): Promise<T> {
  return path.includes("/reports/outbox/") ? around(effect) : effect();
}

const io = createIo(undefined);
const code = await cli(Deno.args, {
  ...io,
  files: {
    ...io.files,
    writeText: (path, text) => aroundOutbox(path, () => io.files.writeText(path, text)),
    remove: (path) => aroundOutbox(path, () => io.files.remove(path)),
  },
  chat: {
    ...io.chat,
    send: (address, part, options) => around(() => io.chat.send(address, part, options)),
  },
});
console.log(`steps ${step}`);
Deno.exit(code);
