/**
 * What did an agent's own output say? The record that every stream reader makes of an agent's
 * standard output. All of it is testimony: it can add failures, never a pass.
 */
import type { RunEvent, Usage } from "./run.ts";

/** The formats that can be read; `none` reads nothing but the last text. */
export type StreamKind =
  | "codex"
  | "claude"
  | "opencode"
  | "gemini"
  | "qwen"
  | "pi"
  | "openclaw"
  | "none";

/** An event as a stream tells it: without the run's time and turn. */
export type StreamEvent = RunEvent extends infer Event
  ? Event extends RunEvent ? Omit<Event, "atMs" | "turn"> : never
  : never;

/** How the stream ended; `cut` where no last event stands in it. */
export type StreamEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "cut"; readonly detail: string };

/** Everything that one process wrote, read. */
export interface StreamRecord {
  /** In the order in which they began. Calls and commands have `source: "stream"`. */
  readonly events: readonly StreamEvent[];
  readonly end: StreamEnd;
  /** The program's own word for its end (`success`, `stop`, …), null where it told none. */
  readonly terminal: string | null;
  /** Ids of calls and commands in the order in which they ended. */
  readonly completed: readonly string[];
  /** Name of the session for a later turn, null where it was not told. */
  readonly session: string | null;
  /** The model that answered, as the stream names it. */
  readonly model: string | null;
  readonly usage: Usage | null;
  /** Lines that are not of the format. */
  readonly noiseLines: number;
  /** True where the last line breaks off. */
  readonly truncated: boolean;
}

/** Reads one process's output as it comes. */
export interface StreamReader {
  /** One line without its end. */
  line(text: string): void;
  end(): StreamRecord;
}
