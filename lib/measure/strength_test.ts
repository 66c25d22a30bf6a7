import { deepEqual, equal } from "node:assert/strict";
import type { LoadedScenario } from "../model/loaded.ts";
import type { MutantOutcome, Mutation, TriedMutant } from "../model/mutation.ts";
import { coverageOf } from "./coverage.ts";
import { scenarioStrength, suiteStrengths } from "./strength.ts";

/** As much of a loaded scenario as strength and coverage look at. */
function scenario(id: string, more: Record<string, unknown> = {}): LoadedScenario {
  const { forbidden, checkpoints, faults, outcome, calls } = more as Record<string, unknown[]>;
  return {
    file: `scenarios/shop/${id}.yaml`,
    suite: "shop",
    scenario: {
      id,
      risk: "high",
      category: "security",
      setup: { faults: faults ?? [] },
      expected: {
        outcome: outcome ?? "success",
        forbidden: forbidden ?? [],
        checkpoints: checkpoints ?? [],
        tools_called: [],
      },
    },
    tools: {
      refund: { effect: "irreversible" },
      find: { effect: "read" },
      export: { effect: "message" },
      hidden: { effect: "write" },
    },
    recordings: [{
      recording: { turns: [{ calls: calls ?? [{ tool: "refund" }] }, { say: "Hi" }] },
    }],
  } as unknown as LoadedScenario;
}

const CALL = { tool: "refund", args: {}, nth: 1 };

function tried(outcome: MutantOutcome, mutation: Mutation, failed: string[] = []): TriedMutant {
  return { mutation, recording: "pass", outcome, failed, soft: [], why: "" };
}

const DROP: Mutation = { kind: "drop_call", call: CALL };
const EMPTY: Mutation = { kind: "final_text", how: "empty", text: "Hi" };

Deno.test("scenarioStrength() leaves out equivalent and invalid mutants and those of the final text", () => {
  const strength = scenarioStrength(scenario("one"), [
    tried("killed", DROP),
    tried("killed", DROP),
    tried("survived", DROP),
    tried("equivalent", DROP),
    tried("invalid", DROP),
    tried("survived", EMPTY),
    tried("killed", EMPTY),
  ]);
  equal(strength.strength, 2 / 3);
  deepEqual(
    [strength.killed, strength.counted, strength.equivalent, strength.invalid, strength.voice],
    [2, 3, 1, 1, { killed: 1, counted: 2 }],
  );
  deepEqual(strength.survivors.map(({ mutation }) => mutation), [DROP]);
});

Deno.test("scenarioStrength() is null where no mutant counts, never 0 or 1", () => {
  equal(scenarioStrength(scenario("one"), []).strength, null);
  equal(scenarioStrength(scenario("one"), [tried("equivalent", DROP)]).strength, null);
  equal(suiteStrengths([]).length, 0);
});

Deno.test("suiteStrengths() counts every mutant of a suite once, not every scenario", () => {
  const weak = scenarioStrength(scenario("weak"), [tried("survived", DROP)]);
  const strong = scenarioStrength(scenario("strong"), Array(9).fill(tried("killed", DROP)));
  const [suite] = suiteStrengths([weak, strong]);
  equal(suite?.strength, 0.9);
});

Deno.test("coverageOf() lists what no recording calls and no expectation names", () => {
  const one = scenario("one", {
    forbidden: ["export"],
    checkpoints: [{ check: "$called('find')" }],
    faults: [{ kind: "empty", tool: "find" }],
  });
  const [coverage] = coverageOf([one], []);
  deepEqual(coverage?.tools, ["hidden"]);
  deepEqual(coverage?.effects, ["ask", "hand_over", "message", "read", "write"]);
  equal(coverage?.faults.includes("empty"), false);
  equal(coverage?.faults.length, 7);
  deepEqual(coverage?.risks, ["critical", "low", "medium"]);
  equal(coverage?.categories.includes("security"), false);
  deepEqual(coverage?.outcomes, ["asked", "handed_over", "no_change", "refused"]);
});

Deno.test("coverageOf() finds scenarios that kill the same mutants for the same reasons", () => {
  const killed = (id: string, failed: string, more = {}) =>
    scenarioStrength(scenario(id, more), [tried("killed", DROP, [failed])]);
  const strengths = [
    killed("a", "missing:orders/O-1/state"),
    killed("b", "missing:orders/O-2/state"),
    killed("c", "missing:orders/O-1/total"),
    killed("d", "missing:orders/O-3/state", { faults: [{ kind: "empty", tool: "find" }] }),
    scenarioStrength(scenario("e"), []),
    scenarioStrength(scenario("f"), []),
  ];
  const scenarios = ["a", "b", "c", "d", "e", "f"].map((id) => scenario(id));
  deepEqual(coverageOf(scenarios, strengths)[0]?.duplicates, [["a", "b"]]);
});
