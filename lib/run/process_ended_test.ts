import assert from "node:assert/strict";
import fc from "fast-check";
import { processEnded, type ProcessFacts } from "./process_ended.ts";

const GOOD: ProcessFacts = {
  end: { kind: "exited", code: 0 },
  stopped: null,
  over: null,
  stream: { kind: "completed" },
  model: { served: true, requests: 2, misses: [] },
  tools: { initialize: 1, toolsList: 1, missing: [] },
};

const model = (more: Partial<ProcessFacts["model"]>) => ({ model: { ...GOOD.model, ...more } });
const tools = (more: object) => ({ tools: { initialize: 1, toolsList: 1, missing: [], ...more } });
const timeout = { kind: "timeout", detail: "10 s" } as const;

const rows: readonly (readonly [string, Partial<ProcessFacts>, string | null])[] = [
  ["a turn that ended by itself", {}, null],
  [
    "a program that is not there",
    { end: { kind: "not_started", why: "no program" } },
    "environment_error",
  ],
  ["exit 0 without the tool server", tools({ initialize: 0, toolsList: 0 }), "environment_error"],
  ["exit 0 without the list of tools", tools({ toolsList: 0 }), "environment_error"],
  ["tools that the model was not told of", tools({ missing: ["pay"] }), "environment_error"],
  ["tools that a stale agent was not told of", {
    ...tools({ missing: ["pay"] }),
    ...model({ misses: ["other words"] }),
  }, "environment_error"],
  ["no tools where none are needed", { tools: null }, null],
  ["a miss, whatever the exit code", model({ misses: ["other words"] }), "stale"],
  ["a miss and then the time limit", { ...model({ misses: ["x"] }), stopped: timeout }, "stale"],
  ["the time limit", { stopped: timeout, end: { kind: "interrupted" } }, "timeout"],
  ["the process's own limit", { end: { kind: "timeout" } }, "timeout"],
  ["the time limit before anything was asked", {
    stopped: timeout,
    ...model({ requests: 0 }),
    ...tools({ initialize: 0, toolsList: 0 }),
  }, "timeout"],
  [
    "our interruption",
    { stopped: { kind: "interrupted" }, ...model({ misses: ["x"] }) },
    "interrupted",
  ],
  ["a question that nobody answers", {
    over: { kind: "completed" },
    end: { kind: "interrupted" },
    stream: { kind: "cut", detail: "no last event" },
  }, "completed"],
  ["too many calls", { over: { kind: "limit", detail: "50" }, stopped: timeout }, "limit"],
  ["a model that was never asked", model({ requests: 0 }), "environment_error"],
  ["a model of the agent's own", { ...model({ served: false, requests: 0 }), tools: null }, null],
  ["a model of its own, and no tools", {
    ...model({ served: false, requests: 0 }),
    ...tools({ initialize: 0 }),
  }, "environment_error"],
  ["a stream that tells a failure", { stream: { kind: "failed", detail: "500" } }, "agent_error"],
  ["a stream without its last event", { stream: { kind: "cut", detail: "cut" } }, "interrupted"],
  ["an exit code", { end: { kind: "exited", code: 144 } }, "agent_error"],
  ["a signal", { end: { kind: "killed", signal: "SIGKILL" } }, "agent_error"],
];

for (const [name, more, expected] of rows) {
  Deno.test(`processEnded(): ${name} is ${expected ?? "no end of the run"}`, () => {
    assert.equal(processEnded({ ...GOOD, ...more })?.kind ?? null, expected);
  });
}

Deno.test("processEnded() goes on only where nothing at all is wrong", () => {
  const facts = fc.record<ProcessFacts>({
    end: fc.constantFrom(
      { kind: "exited", code: 0 } as const,
      { kind: "exited", code: 3 } as const,
      { kind: "killed", signal: "SIGTERM" } as const,
      { kind: "timeout" } as const,
      { kind: "interrupted" } as const,
      { kind: "not_started", why: "x" } as const,
    ),
    stopped: fc.constantFrom(null, timeout, { kind: "interrupted" } as const),
    over: fc.constantFrom(null, { kind: "limit" } as const),
    stream: fc.constantFrom(
      { kind: "completed" } as const,
      { kind: "failed", detail: "x" } as const,
      { kind: "cut", detail: "x" } as const,
    ),
    model: fc.record({
      served: fc.constant(true),
      requests: fc.integer({ min: 0, max: 2 }),
      misses: fc.constantFrom([], ["x"]),
    }),
    tools: fc.record({
      initialize: fc.integer({ min: 0, max: 1 }),
      toolsList: fc.integer({ min: 0, max: 1 }),
      missing: fc.constantFrom([], ["x"]),
    }),
  });
  fc.assert(
    fc.property(facts, (one) => {
      const ended = processEnded(one);
      const sound = one.end.kind === "exited" && one.end.code === 0 && one.stopped === null &&
        one.over === null && one.stream.kind === "completed" && one.model.requests > 0 &&
        one.model.misses.length === 0 && one.tools !== null && one.tools.initialize > 0 &&
        one.tools.toolsList > 0 && one.tools.missing.length === 0;
      assert.equal(ended === null, sound);
      assert.notEqual(ended?.kind, "completed");
    }),
    { seed: 6, numRuns: 2_000 },
  );
});
