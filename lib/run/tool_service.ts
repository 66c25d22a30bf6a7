/**
 * What does an agent's program get from our tool server? The scenario's tools, one call after the
 * other in the order in which they arrive, each made and recorded as the loop does it. In: the episode
 * of the run. Out: a handler for the server, and how a call ended the run. Refuses calls that come
 * after the run's end; the built-in tools of workspaces are the program's own and not served.
 */
import { withInterruptions } from "../model/interruption.ts";
import { isObject, type Json } from "../model/json.ts";
import type { ModelCall, ModelTool } from "../model/ports.ts";
import type { Ended } from "../model/run.ts";
import type { ToolHandler, ToolReply } from "../model/serving.ts";
import type { Episode } from "./episode.ts";
import { cancelCall, endedBefore, isShallow, type MadeCall, makeCall } from "./make_call.ts";
import { answerPermission, PERMISSION_PROMPT, PERMISSION_TOOL } from "./permission_prompt.ts";
import type { Stop } from "./stop.ts";
import { isBuiltIn, modelTools, type World } from "./world.ts";

/** What bounds a run, and what its program needs besides the scenario's tools. */
export interface ToolServiceOptions {
  readonly stop: Stop;
  /** Calls after which the run ends as `limit`. */
  readonly callsMax: number;
  /** True for a program that asks for permissions by calling the tool `PERMISSION_PROMPT`. */
  readonly permissionPrompt?: boolean;
}

/** How often the program asked the server for something, so far. */
export interface SeenByTools {
  readonly initialize: number;
  readonly toolsList: number;
  /** Of the scenario's tools and of unknown ones; questions for permission are none. */
  readonly calls: number;
}

/** The tools of one run, served. */
export interface ToolService {
  readonly handler: ToolHandler;
  /** Resolves when a call ended the run; where it was not refused, it has no answer before `close()`. */
  readonly ended: Promise<Ended>;
  /** How the run ended, null while it goes on. */
  over(): Ended | null;
  /** The counts as they stand. */
  seen(): SeenByTools;
  /** Resolves when every call that has arrived is recorded. */
  idle(): Promise<void>;
  /** Later calls are refused and recorded as cancelled; resolves as `idle()`. */
  close(): Promise<void>;
}

/** Serves the tools of an episode, whose world loses the built-in tools of workspaces. */
export function toolService(episode: Episode, options: ToolServiceOptions): ToolService {
  episode.world = withoutBuiltIns(episode.world);
  return new ServedTools(episode, options);
}

const INVALID_PARAMS = -32602;
const RUN_OVER: ToolReply = {
  kind: "protocol_error",
  code: -32000,
  message: "The run is over: no further call is made",
};

interface ArrivedCall {
  readonly tool: string;
  readonly args: Json;
  readonly signal: AbortSignal;
}

class ServedTools implements ToolService {
  readonly handler: ToolHandler;
  readonly #episode: Episode;
  readonly #options: ToolServiceOptions;
  readonly #ended = Promise.withResolvers<Ended>();
  readonly #closed = new AbortController();
  #over: Ended | null = null;
  #seen: SeenByTools = { initialize: 0, toolsList: 0, calls: 0 };
  #last: Promise<unknown> = Promise.resolve();

  constructor(episode: Episode, options: ToolServiceOptions) {
    this.#episode = episode;
    this.#options = options;
    this.handler = {
      list: () => this.#list(),
      call: (tool, args, { signal }) => this.#call({ tool, args, signal }),
      saw: (method) => this.#saw(method),
    };
  }

  get ended(): Promise<Ended> {
    return this.#ended.promise;
  }

  over(): Ended | null {
    return this.#over;
  }

  seen(): SeenByTools {
    return this.#seen;
  }

  async idle(): Promise<void> {
    for (let last = null; last !== this.#last;) {
      last = this.#last;
      await last;
    }
  }

  async close(): Promise<void> {
    this.#over ??= { kind: "interrupted", detail: "The tool server was closed" };
    this.#closed.abort();
    await this.idle();
  }

  #list(): readonly ModelTool[] {
    const tools = modelTools(this.#episode.world);
    return this.#options.permissionPrompt === true ? [...tools, PERMISSION_TOOL] : tools;
  }

  #saw(method: string): void {
    const { initialize, toolsList, calls } = this.#seen;
    if (method === "initialize") this.#seen = { initialize: initialize + 1, toolsList, calls };
    if (method === "tools/list") this.#seen = { initialize, toolsList: toolsList + 1, calls };
  }

  /** Calls are made one after the other; one that waits for the run's end holds up no other. */
  async #call(arrived: ArrivedCall): Promise<ToolReply> {
    const mine = this.#last.then(() => this.#answer(arrived)).catch((cause) => this.#broke(cause));
    this.#last = mine;
    const reply = await mine;
    if (reply !== null) return reply;
    await fired(AbortSignal.any([arrived.signal, this.#closed.signal]));
    return RUN_OVER;
  }

  /** Null for the call that ended the run: nobody is left to answer it. */
  async #answer(arrived: ArrivedCall): Promise<ToolReply | null> {
    const { tool, args, signal } = arrived;
    if (this.#options.permissionPrompt === true && tool === PERMISSION_PROMPT) {
      return this.#permit(args);
    }
    this.#seen = { ...this.#seen, calls: this.#seen.calls + 1 };
    const call = callOf(tool, args);
    const early = this.#over ?? endedBefore(this.#episode, this.#options);
    if (early !== null) {
      cancelCall(this.#episode, call, "tools");
      this.#end(early);
      return RUN_OVER;
    }
    const made = await makeCall(this.#episode, call);
    if (signal.aborted) this.#giveUp(tool);
    if (made.kind === "ended") return this.#end(made.ended);
    return replyOf(made, call);
  }

  #permit(args: Json): ToolReply {
    if (this.#over !== null) return RUN_OVER;
    const text = answerPermission(this.#episode, isObject(args) && isShallow(args) ? args : {});
    return { kind: "answer", text, isError: false };
  }

  #giveUp(tool: string): void {
    const text =
      `The program gave up call c${this.#episode.calls} of "${tool}" before its answer: ` +
      "what it did stands";
    this.#episode.record({ kind: "notice", level: "warning", text });
  }

  #end(ended: Ended): null {
    this.#over ??= ended;
    this.#ended.resolve(this.#over);
    return null;
  }

  #broke(cause: unknown): null {
    const why = cause instanceof Error ? cause.message : String(cause);
    return this.#end({ kind: "environment_error", detail: `The tool server broke: ${why}` });
  }
}

function callOf(tool: string, args: Json): ModelCall {
  const shallow = isShallow(args);
  return {
    id: "",
    tool,
    args: isObject(args) && shallow ? args : null,
    argsText: shallow ? JSON.stringify(args) : "nested too deep",
  };
}

/** An error of the tool is an answer; arguments that are no object are an error of the protocol. */
function replyOf(made: MadeCall & { readonly kind: "answered" }, call: ModelCall): ToolReply {
  const text = withInterruptions(made.text, made.interruptions);
  if (call.args !== null) return { kind: "answer", text, isError: made.status !== "ok" };
  return { kind: "protocol_error", code: INVALID_PARAMS, message: text };
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function withoutBuiltIns(world: World): World {
  const served = Object.entries(world.tools).filter(([name]) => !isBuiltIn(world.loaded, name));
  return { ...world, tools: Object.fromEntries(served) };
}
