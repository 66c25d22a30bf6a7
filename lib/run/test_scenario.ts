/** A small shop for the tests of this folder: scenarios and recordings made from what a test names. */
import { hashJson } from "../model/hash.ts";
import type { Json, JsonObject, State } from "../model/json.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Model } from "../model/ports.ts";
import { recordingFile } from "../model/recording.ts";
import type { Ended, Run, RunEvent } from "../model/run.ts";
import { scenarioFile } from "../model/scenario.ts";
import { toolsFile } from "../model/tool.ts";
import { replayModel } from "./replay_model.ts";
import { virtualClock } from "./run_clock.ts";
import { type RunOptions, runScenario } from "./run_scenario.ts";

const SHOP_TOOLS: JsonObject = {
  find_order: {
    description: "Finds an order",
    effect: "read",
    input: { type: "object", required: ["order"], properties: { order: { type: "string" } } },
    needs: ["orders/<order>"],
    let: { found: "$at('orders/<order>')" },
    returns: "<found>",
  },
  refund: {
    description: "Refunds an order",
    effect: "irreversible",
    input: {
      type: "object",
      required: ["order", "amount"],
      properties: { order: { type: "string" }, amount: { type: "number", exclusiveMinimum: 0 } },
    },
    needs: ["orders/<order>"],
    let: {
      id: "$next('refunds', 'R-')",
      open: "$find('refunds', {'order': $args.order})",
      mail: "$at('orders/<order>/email')",
    },
    refuse: [{
      if: "$count($open) > 0",
      error: { code: "duplicate", message: "<order> was refunded already" },
    }],
    set: {
      "refunds/<id>": { order: "<order>", amount: "<amount>" },
      "orders/<order>/state": "refunded",
    },
    append: { "orders/<order>/notes": "Refunded <amount>" },
    delete: ["drafts/<order>"],
    send: { to: "<mail>", channel: "email", text: "Refunded <amount> EUR" },
    returns: { refund: "<id>" },
  },
  ask_customer: {
    description: "Asks the customer",
    effect: "ask",
    input: { type: "object", required: ["question"], properties: { question: { type: "string" } } },
  },
};

/** The shop's world before. */
export const SHOP: State = {
  orders: {
    "O-1": { email: "anna@example.test", state: "paid", total: 30, notes: [] },
    "O-2": { email: "bruno@example.test", state: "paid", total: 5 },
  },
  drafts: { "O-1": { text: "…" } },
};

/** What a test says of its scenario; the rest is the shop. */
export interface ShopCase {
  readonly setup?: JsonObject;
  readonly conversation?: Json;
  readonly tools?: JsonObject;
  readonly state?: State | null;
}

/** A loaded scenario of the shop; `tools` are added to, or replace, the shop's. */
export function shopScenario(one: ShopCase = {}): LoadedScenario {
  const { tools } = toolsFile.parse({ tools: { ...SHOP_TOOLS, ...one.tools } });
  const file = scenarioFile.parse({
    id: "shop",
    description: "A shop",
    category: "happy_path",
    ...(one.setup === undefined ? {} : { setup: one.setup }),
    conversation: one.conversation ?? [{ user: "Ciao" }],
    expected: {},
  });
  const conversation = file.conversation.flatMap((turn) => "user" in turn ? [turn] : []);
  const { approvals, available_tools, faults } = file.setup ?? {};
  const { messages: _, tools_called: __, final_response: ___, ...expected } = file.expected;
  return {
    file: "scenarios/shop/shop.yaml",
    suite: "shop",
    scenario: {
      ...file,
      task: "shop",
      origin: { kind: "handmade" },
      setup: {
        ...file.setup,
        clock: file.setup?.clock ?? "2026-10-01T09:00:00+02:00",
        tools: [],
        available_tools: available_tools ?? Object.keys(tools),
        approvals: approvals ?? { default: "deny" },
        faults: faults ?? [],
      },
      conversation,
      expected: {
        ...expected,
        messages: [],
        messagesDeclared: false,
        tools_called: [],
        final_response: {},
        replies: [],
        rubric: [],
      },
    },
    hash: hashJson("shop"),
    tools,
    state: one.state === undefined ? SHOP : one.state,
    recordings: [],
    positions: {},
  };
}

/** A recording made of its turns; handmade unless `more` says otherwise. */
export function recordingOf(turns: Json, more: JsonObject = {}): LoadedRecording {
  const recording = recordingFile.parse({ origin: "handmade", ...more, turns });
  return { name: "pass", file: "fixtures/recordings/shop/pass.yaml", recording };
}

/** Runs a scenario against a model in virtual time. */
export function runShop(
  loaded: LoadedScenario,
  model: Model,
  more: Partial<RunOptions> = {},
): Promise<Run> {
  return runScenario(loaded, {
    mode: "replay",
    agentName: "home",
    agent: { calls_max: 20, timeout_s: 60, system: "You serve a shop" },
    model,
    modelName: null,
    trial: 1,
    recording: "pass",
    clock: virtualClock(),
    signal: new AbortController().signal,
    startedAt: null,
    difference: () => [],
    ...more,
  });
}

/** Replays turns in a scenario of the shop. */
export function replayShop(turns: Json, one: ShopCase = {}): Promise<Run> {
  const loaded = shopScenario(one);
  return runShop(loaded, replayModel(recordingOf(turns), loaded));
}

/** An event on one line: who said or called what, and how it went. */
export function eventLine(event: RunEvent): string {
  if (event.kind === "message") return `${event.turn} ${event.role}: ${event.text}`;
  if (event.kind === "notice") return `${event.turn} notice: ${event.text}`;
  if (event.kind === "approval") return `${event.turn} ${event.answer}: ${event.tool}`;
  if (event.kind === "call") {
    const end = event.error === undefined ? JSON.stringify(event.result) : event.error.code;
    return `${event.turn} ${event.tool} ${event.status}: ${end}`;
  }
  return `${event.turn} ${event.kind}`;
}

/** How a run ended, on one line. */
export function endLine({ kind, detail }: Ended): string {
  return detail === undefined ? kind : `${kind}: ${detail}`;
}
