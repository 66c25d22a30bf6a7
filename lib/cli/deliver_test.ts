import assert from "node:assert/strict";
import { type Fault, serveBotApi, TOKEN } from "../../testdata/telegram/bot_api.ts";
import { createIo } from "../io/real.ts";
import type { OutboxMessage } from "../model/outbox.ts";
import { deliver } from "./deliver.ts";

// telegraf keeps its connections open for the next call.
const options = { sanitizeOps: false, sanitizeResources: false } as const;

function message(): OutboxMessage {
  const part = {
    kind: "text",
    text: "<b>a</b>\nb",
    name: null,
    data: null,
    state: "waiting",
    doubtful: false,
    plain: false,
    tries: 0,
    why: null,
    messageId: null,
    deliveredAt: null,
  } as const;
  return {
    schema: "collaudo/outbox@1",
    id: "0123456789abcdef",
    about: "report",
    head: "BLOCK",
    chat: "c",
    written: "2026-11-30T07:30:00+01:00",
    replacedBy: null,
    parts: [
      part,
      { ...part, text: "second" },
      { ...part, kind: "photo", text: "p", name: "p.png", data: "iVBORw0KGgo=" },
    ],
  };
}

Deno.test(
  "deliver() sends part after part, marks what may be there, and ends by its time limit",
  options,
  async () => {
    const io = createIo(undefined);
    const limits = { timeoutMs: 150, pausesMs: [5, 5], pauseMaxMs: 1000 };
    const rows: readonly {
      readonly faults: readonly Fault[];
      readonly states: string;
      readonly texts: readonly string[];
    }[] = [
      {
        faults: [],
        states: "delivered delivered delivered",
        texts: ["<b>a</b>\nb", "second", "p"],
      },
      {
        faults: [{ kind: "hang", accept: true }],
        states: "delivered delivered delivered",
        texts: ["<b>a</b>\nb", "<b>a</b> (again)\nb", "second", "p"],
      },
      {
        faults: [{ kind: "hang" }, { kind: "hang" }, { kind: "hang" }],
        states: "waiting waiting waiting",
        texts: [],
      },
      {
        faults: [{ kind: "refuse", description: "Forbidden: bot was blocked by the user" }],
        states: "waiting waiting waiting",
        texts: [],
      },
      {
        faults: [
          { kind: "refuse", description: "Bad Request: can't parse entities" },
          { kind: "status", status: 503 },
        ],
        states: "delivered delivered delivered",
        texts: ["a (again)\nb", "second", "p"],
      },
      {
        faults: [
          { kind: "refuse", description: "Bad Request: can't parse entities" },
          { kind: "refuse", description: "Bad Request: can't parse entities" },
        ],
        states: "waiting waiting waiting",
        texts: [],
      },
    ];
    for (const { faults, states, texts } of rows) {
      const api = serveBotApi(faults);
      const stored: OutboxMessage[] = [];
      const address = { token: TOKEN, chat: "5", apiRoot: api.root };
      const sent = await deliver(message(), {
        io,
        limits,
        send: (part, _, options) => io.chat.send(address, part, options),
        repeat: "(again)",
        unstored: "(unstored)",
        store: (each) => Promise.resolve(stored.push(each) > 0),
      });
      const told = JSON.stringify(faults);
      assert.equal(sent.parts.map(({ state }) => state).join(" "), states, told);
      assert.deepEqual(api.accepted.map(({ text }) => text), texts, told);
      assert.deepEqual(stored.at(-1), sent, told);
      assert.equal(stored.length, 2 * api.calls.count, "before and after each call");
      await api.close();
    }
  },
);
