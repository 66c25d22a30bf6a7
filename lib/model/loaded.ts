/**
 * What does a stage after load receive? Scenarios with everything that they name read, merged and
 * hashed: no later stage opens a file.
 */
import type { Config } from "./config.ts";
import type { State } from "./json.ts";
import type { Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";
import type { ToolSet } from "./tool.ts";

/** A recording with its name (`pass`, `billing`) and its file, relative to the project. */
export interface LoadedRecording {
  readonly name: string;
  readonly file: string;
  readonly recording: Recording;
}

/** A scenario ready to run or to judge. */
export interface LoadedScenario {
  /** Relative to the project, with `/`. */
  readonly file: string;
  /** The folder below `scenarios/`. */
  readonly suite: string;
  readonly scenario: Scenario;
  /** Hash of scenario, tools, state and fixtures: only equals are compared. */
  readonly hash: string;
  /** All tools of its tools files; `scenario.setup.available_tools` are those that the agent gets. */
  readonly tools: ToolSet;
  /** The world before; workspace and fixtures laid into `files`. Null where `setup.state`, workspace and fixtures are absent. */
  readonly state: State | null;
  readonly recordings: readonly LoadedRecording[];
  /** Position in the scenario's file, `file:line:col`, by key path joined with `/`: `expected/checkpoints/0/check`. */
  readonly positions: Readonly<Record<string, string>>;
}

/** The project: where it lies and how it is set up. */
export interface Project {
  /** Absolute path of the folder that holds `collaudo.yaml`. */
  readonly root: string;
  readonly config: Config;
}
