/**
 * What has happened so far in a run that is going on? Holds its growing trace, the model's messages,
 * the world and the counts of turns and calls; the loop and the conversation write into it.
 */
import { runScope } from "../expression/run_scope.ts";
import type { Scope } from "../expression/compile.ts";
import type { State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { ModelMessage } from "../model/ports.ts";
import type { Change, RunEvent } from "../model/run.ts";
import type { RealWorkspace } from "./real_workspace.ts";
import type { RunClock } from "./run_clock.ts";
import { type AnswerUsage, runUsage, sumUsage } from "./usage_sum.ts";
import { createWorld, type World } from "./world.ts";

/** The difference of two states, as the judges see it. */
export type StateDifference = (before: State, after: State) => readonly Change[];

/** An event without what the episode knows: its time and turn. */
export type BareEvent = RunEvent extends infer Event
  ? Event extends RunEvent ? Omit<Event, "atMs" | "turn"> : never
  : never;

/** One run while it goes on. */
export class Episode {
  readonly events: RunEvent[] = [];
  readonly messages: ModelMessage[] = [];
  readonly answers: AnswerUsage[] = [];
  world: World;
  /** The user turn that it is, from 1; 0 before the first. */
  turn = 0;
  /** Calls since the user last spoke. */
  callsInTurn = 0;
  /** Calls of the whole run. */
  calls = 0;
  /** The next turn of the scenario's conversation, from 0. */
  next = 0;

  /** The state before the run. */
  readonly before: State;
  /** The folder that the run works in, null where its files are simulated. */
  readonly workspace: RealWorkspace | null;

  /** @param real the folder of a run on real files, and the state that was read before it began */
  constructor(
    readonly loaded: LoadedScenario,
    readonly clock: RunClock,
    readonly difference: StateDifference,
    real: { readonly before?: State; readonly workspace?: RealWorkspace } = {},
  ) {
    this.before = real.before ?? loaded.state ?? {};
    this.workspace = real.workspace ?? null;
    this.world = { ...createWorld(loaded), state: this.before };
  }

  /** Adds an event that happens now. */
  record(event: BareEvent): void {
    this.events.push(this.dated(event));
  }

  /** An event with its time and turn. */
  dated(event: BareEvent, atMs = this.clock.nowMs()): RunEvent {
    return { ...event, atMs, turn: this.turn };
  }

  /** Something to show to people. */
  notice(text: string): void {
    this.record({ kind: "notice", level: "info", text });
  }

  /** The user speaks: a new turn begins. */
  hear(text: string): void {
    this.turn++;
    this.callsInTurn = 0;
    this.record({ kind: "message", role: "user", text });
  }

  /** What expressions see of the run so far; `pending` has not been recorded yet. */
  scope(pending: readonly RunEvent[]): Scope {
    const { before } = this;
    const after = this.world.state;
    return runScope({
      events: [...this.events, ...pending],
      before,
      after,
      changes: this.difference(before, after),
      usage: runUsage(sumUsage(this.answers), { calls: this.calls, turns: this.turn }),
      scenario: this.loaded.scenario,
      tools: this.world.tools,
    });
  }
}
