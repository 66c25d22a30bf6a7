/** Which differences of two runs count? */
import assert from "node:assert/strict";
import type { RunEvent } from "../model/run.ts";
import { eventDifference } from "./same_events.ts";

const call = (id: string, more: Partial<RunEvent & { kind: "call" }> = {}): RunEvent => ({
  kind: "call",
  id,
  atMs: 4,
  endMs: 9,
  tool: "set_light",
  args: { light: "kitchen" },
  status: "ok",
  source: "tools",
  ...more,
});
const approval = (id: string): RunEvent => ({
  kind: "approval",
  call: id,
  tool: "set_light",
  args: {},
  answer: "granted",
});
const command = (exitCode: number, output: string): RunEvent => ({
  kind: "command",
  id: `c${output}`,
  command: "date",
  exitCode,
  status: "ok",
  output,
  source: "stream",
});
const said = (text: string): RunEvent => ({ kind: "message", role: "assistant", text });

Deno.test("eventDifference() passes over ids, times and prints, and nothing else", () => {
  const live = [
    call("call_a", { result: { id: "0d1f7a44-7d7e-4a35-9a2e-0c5a3c1f9b10" } }),
    approval("call_b"),
    call("call_b", { args: { at: "2026-10-01T09:00:00Z" } }),
    command(0, "12:00"),
    { kind: "unknown", raw: { tokens: 7 } } as const,
    said("Done"),
  ];
  const replayed = [
    call("r1.1", { atMs: 0, result: { id: "77777777-7d7e-4a35-9a2e-0c5a3c1f9b10" } }),
    approval("r1.2"),
    call("r1.2", { endMs: 2, args: { at: "2026-10-02T11:22:33Z" } }),
    command(0, "12:01"),
    said("Done"),
  ];
  assert.equal(eventDifference(live, replayed), null);
  const changed: readonly (readonly [number, RunEvent])[] = [
    [0, call("r1.1", { status: "error" })],
    [1, approval("r1.1")],
    [2, call("r1.2", { args: { at: "noon" } })],
    [3, command(1, "12:01")],
    [4, said("done")],
  ];
  for (const [index, event] of changed) {
    const found = eventDifference(live, replayed.with(index, event));
    assert.equal(found?.index, index, JSON.stringify(found));
  }
  const short = eventDifference(live, replayed.slice(0, -1));
  assert.deepEqual([short?.index, short?.second], [4, null]);
  assert.match(short?.first ?? "", /"text":"Done"/);
});
