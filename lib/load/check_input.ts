/** What do the static checks of a scenario look at? Everything that was read for it, with its text. */
import { compilePattern, type ListKey } from "../expression/paths.ts";
import type { Config } from "../model/config.ts";
import type { State } from "../model/json.ts";
import type { Scenario, ScenarioFile } from "../model/scenario.ts";
import type { ToolSet } from "../model/tool.ts";
import type { ReadRecording } from "./recordings.ts";
import type { SourceFile } from "./source.ts";

export interface CheckInput {
  readonly source: SourceFile;
  readonly suite: string;
  /** The file as written: its key paths are those of `source`. */
  readonly written: ScenarioFile;
  /** The same with defaults and aliases resolved. */
  readonly scenario: Scenario;
  readonly tools: ToolSet;
  /** False where a tools file could not be read: names are then not judged. */
  readonly toolsComplete: boolean;
  readonly state: State | null;
  readonly recordings: readonly ReadRecording[];
  readonly config: Config;
}

/** Lists whose items have names. */
export function listKeysOf({ written }: CheckInput): ListKey[] {
  return Object.entries(written.expected.state?.keys ?? {})
    .map(([list, field]) => ({ list: compilePattern(list), field }));
}
