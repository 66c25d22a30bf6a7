/**
 * How did one process of an agent end the run, if it did? Exit codes and an agent's own words prove
 * little: our servers' counts and our own limits come first. In: what was seen. Out: null where the
 * agent's turn ended by itself, else how the run ended.
 */
import { match } from "ts-pattern";
import type { ChildEnd } from "../model/ports.ts";
import type { Ended } from "../model/run.ts";
import type { StreamEnd } from "../model/stream.ts";

/** What was seen of one process and of our servers up to its end. */
export interface ProcessFacts {
  readonly end: ChildEnd;
  /** Our own stop, by the time limit or an interruption; null where there was none. */
  readonly stopped: Ended | null;
  /** How a call of our tools ended the run; null where none did. */
  readonly over: Ended | null;
  readonly stream: StreamEnd;
  readonly model: {
    /** False where the agent asks a model of its own. */
    readonly served: boolean;
    readonly requests: number;
    /** Why each request that no recorded turn answers was refused. */
    readonly misses: readonly string[];
  };
  /** Null where the agent has no use for our tool server. */
  readonly tools: {
    readonly initialize: number;
    readonly toolsList: number;
    /** Tools of the scenario that the first request to the model did not name. */
    readonly missing: readonly string[];
  } | null;
}

/** How the process ended the run, null where only the agent's turn ended. */
export function processEnded(facts: ProcessFacts): Ended | null {
  const { end, stopped, over, model } = facts;
  if (end.kind === "not_started") return broken(`The agent did not start: ${end.why}`);
  if (stopped?.kind === "interrupted") return stopped;
  const toolless = withoutTools(facts);
  if (toolless !== null) return broken(toolless);
  const [miss] = model.misses;
  if (miss !== undefined) return { kind: "stale", detail: miss };
  if (over !== null) return over;
  if (stopped !== null) return stopped;
  if (end.kind === "timeout") return { kind: "timeout", detail: "The agent's time limit" };
  if (model.served && model.requests === 0) {
    return broken(`The agent never asked our model server, and ${endWords(end)}`);
  }
  return endedItself(facts);
}

/** In every program a tool server that fails to start gives a normal run without the tools. */
function withoutTools({ tools, model, end }: ProcessFacts): string | null {
  const asked = model.requests > 0 || (!model.served && end.kind === "exited");
  if (tools === null || !asked) return null;
  if (tools.initialize === 0) return "The agent never reached the tool server";
  if (tools.toolsList === 0) return "The agent never asked the tool server for its tools";
  const [missing] = tools.missing;
  if (missing === undefined) return null;
  return `The agent's first request to the model did not name the tool "${missing}"`;
}

function endedItself({ end, stream }: ProcessFacts): Ended | null {
  if (stream.kind === "failed") return { kind: "agent_error", detail: stream.detail };
  if (end.kind === "killed" || (end.kind === "exited" && end.code !== 0)) {
    return { kind: "agent_error", detail: `The agent's program ${endWords(end)}` };
  }
  if (end.kind === "interrupted") return { kind: "interrupted", detail: "The agent was ended" };
  if (stream.kind === "cut") return { kind: "interrupted", detail: stream.detail };
  return null;
}

function broken(detail: string): Ended {
  return { kind: "environment_error", detail };
}

/** How a program ended, in words that go on after its name. */
export function endWords(end: ChildEnd): string {
  return match(end)
    .with({ kind: "exited" }, ({ code }) => `ended with exit code ${code}`)
    .with({ kind: "killed" }, ({ signal }) => `was ended by ${signal}`)
    .with({ kind: "timeout" }, () => "was ended at its time limit")
    .with({ kind: "interrupted" }, () => "was interrupted")
    .with({ kind: "not_started" }, ({ why }) => `did not start: ${why}`)
    .exhaustive();
}
