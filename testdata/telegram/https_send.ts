/** One text and one question to the Bot API at an address, by a program that may ask the system nothing. */
import { realChat } from "../../lib/io/telegram.ts";

const [root = "", token = ""] = Deno.args;
const address = { token, chat: "5", apiRoot: root };
const options = { timeoutMs: 20_000, signal: new AbortController().signal };
const text = { kind: "text", text: "<b>è</b>", html: true, quiet: false } as const;
const sent = await realChat().send(address, text, options);
const updates = await realChat().updates(address, { offset: null, waitS: 0 }, options);
console.log(JSON.stringify({ sys: Deno.permissions.querySync({ name: "sys" }).state, sent, updates }));
