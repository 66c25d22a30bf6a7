/**
 * What does an expression see of one run? The trace split into its lists (calls seen by our tools
 * replace what an agent's stream says of the same tools), order by position in the trace, and what
 * was asked. Lists beyond the roots are made when they are first needed.
 */
import type { JsonObject, State } from "../model/json.ts";
import { outboxOf } from "../model/json.ts";
import type {
  ApprovalEvent,
  CallEvent,
  Change,
  CommandEvent,
  MessageEvent,
  RunEvent,
} from "../model/run.ts";
import type { Scenario } from "../model/scenario.ts";
import type { ToolEffect, ToolSet } from "../model/tool.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";
import type { RunUsage } from "../model/verdict.ts";
import { assistantTurns, isQuestion } from "./conversation.ts";
import { Refusal } from "./refusal.ts";
import { shownEvents } from "./shown_events.ts";

/** What a run's scope is made of. */
export interface RunRoots {
  readonly events: readonly RunEvent[];
  readonly before: State;
  readonly after: State;
  readonly changes: readonly Change[];
  readonly usage: RunUsage;
  readonly scenario: Scenario;
  readonly tools: ToolSet;
}

/** A question: a call of an asking tool, or a message that ends the agent's turn. */
export interface Question {
  readonly event: CallEvent | MessageEvent;
  readonly text: string;
}

const SCANNED_MAX = 32;

/** One run as the native functions read it. */
export class RunView {
  /** The trace; a command with what the shim saw of it, and its output as JSON. */
  readonly events: readonly RunEvent[];
  readonly calls: readonly CallEvent[];
  readonly messages: MessageEvent[] = [];
  readonly approvals: ApprovalEvent[] = [];
  readonly commands: readonly CommandEvent[];
  readonly final: string;
  #positions: Map<unknown, number> | undefined;
  #questions: Question[] | undefined;
  #writes: CallEvent[] | undefined;

  constructor(readonly roots: RunRoots) {
    const shown = shownEvents(roots.events, roots.tools);
    let final = "";
    for (const event of shown.events) {
      if (event.kind === "message") {
        this.messages.push(event);
        if (event.role === "assistant") final = event.text;
      } else if (event.kind === "approval") this.approvals.push(event);
    }
    this.final = final;
    this.events = shown.events;
    this.calls = shown.calls;
    this.commands = shown.commands;
  }

  /** Position of an event in the trace; refuses what is no event of it. */
  positionOf(event: unknown): number {
    const { events } = this;
    let at: number;
    if (events.length <= SCANNED_MAX) at = events.indexOf(event as RunEvent);
    else {
      this.#positions ??= new Map(events.map((one, i) => [one, i]));
      at = this.#positions.get(event) ?? -1;
    }
    if (at < 0) throw new Refusal("only events of this trace have an order");
    return at;
  }

  /** The effect of a call: as it was recorded, else as its tool declares it. */
  effectOf(call: CallEvent): ToolEffect | undefined {
    if (call.effect !== undefined) return call.effect;
    const { tools } = this.roots;
    return Object.hasOwn(tools, call.tool) ? tools[call.tool]?.effect : undefined;
  }

  /** Attempts that write, cannot be undone or reach a person outside. */
  get writes(): CallEvent[] {
    return this.#writes ??= this.calls.filter((call) =>
      WRITING_EFFECTS.has(this.effectOf(call) ?? "read")
    );
  }

  /** All questions, in the order of the trace. */
  get questions(): Question[] {
    return this.#questions ??= this.#findQuestions();
  }

  /** The events without calls and commands that count elsewhere or not at all. */
  get countedEvents(): readonly RunEvent[] {
    const counted = new Set<RunEvent>([...this.calls, ...this.commands]);
    return this.events.filter((event) =>
      (event.kind !== "call" && event.kind !== "command") || counted.has(event)
    );
  }

  /** Messages sent in this run: the outbox beyond what was in it before. */
  get sent(): JsonObject[] {
    const { before, after } = this.roots;
    return outboxOf(after).slice(outboxOf(before).length);
  }

  #findQuestions(): Question[] {
    const found: Question[] = assistantTurns(this.events)
      .filter((turn) => isQuestion(turn.text))
      .map((event) => ({ event, text: event.text }));
    for (const call of this.calls) {
      if (this.effectOf(call) === "ask") found.push({ event: call, text: textsIn(call.args) });
    }
    return found.sort((a, b) => this.positionOf(a.event) - this.positionOf(b.event));
  }
}

/** All texts in a value, one a line. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(textsIn).filter((text) => text !== "").join("\n");
}
