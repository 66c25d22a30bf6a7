import assert from "node:assert/strict";
import type { RunEvent } from "../model/run.ts";
import { assistantTurns, finalText, isQuestion } from "./conversation.ts";

Deno.test("isQuestion() wants a mark outside code and addresses", () => {
  const rows: [string, boolean][] = [
    ["Confermi?", true],
    ["Confermi？", true],
    ["Fatto.", false],
    ["Ho letto `a ? b : c`.", false],
    ["```\nx ? y\n```\nFatto.", false],
    ["```\nx ? y", false],
    ["Lancia ``a ? b`` e poi `c\nd ? e`.", false],
    ["Un ` solo, va bene?\n\nE un altro ` qui.", true],
    ["~~~\nx ? y\n~~~\nFatto.", false],
    ["``` a ``` Va bene?", true],
    ["Vedi https://a.example/x?y=1", false],
    ["Vedi a.example/cerca?testo e /cerca?q=1 lì", false],
    ["Vedi a.example/cerca?q=1, va bene?", true],
    ["Sei pronto/a?", true],
    ["Vedi www.a.example/?q=2 per favore", false],
    ["Scrivi a mailto:a@b.example?subject=x", false],
    ["Hai visto https://a.example/x?", true],
    ["Hai visto (https://a.example/x?a=1)?", true],
    ["Va bene?(https://a.example)", true],
    ["Scrivo a anna@b.example?", true],
    ["anna?x@b.example", false],
    [`${"a".repeat(200_000)} ${".a-".repeat(100_000)}?`, true],
    [`${".aa/?b".repeat(100_000)}`, false],
    [Array.from({ length: 800 }, (_, i) => "`".repeat(i + 1)).join("?"), true],
  ];
  for (const [text, asks] of rows) assert.equal(isQuestion(text), asks, text.slice(0, 60));
});

function say(role: "user" | "assistant" | "system", text: string): RunEvent {
  return { kind: "message", role, text };
}

function call(tool: string): RunEvent {
  return { kind: "call", id: tool, tool, args: {}, status: "ok", source: "tools" };
}

Deno.test("assistantTurns() are the messages after which the agent did nothing more", () => {
  const events: RunEvent[] = [
    say("user", "1"),
    say("assistant", "beside calls?"),
    call("a"),
    say("assistant", "ends one"),
    { kind: "notice", level: "info", text: "compacted" },
    say("user", "2"),
    say("assistant", "said twice"),
    say("assistant", "ends two"),
    say("user", "3"),
    say("assistant", "before a call"),
    call("b"),
    say("user", "said with the result"),
    call("c"),
    say("assistant", "ends three"),
  ];
  assert.deepEqual(assistantTurns(events).map((one) => one.text), [
    "ends one",
    "ends two",
    "ends three",
  ]);
  assert.equal(finalText(events), "ends three");
  assert.equal(finalText([]), "");
});
