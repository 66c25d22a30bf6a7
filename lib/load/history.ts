/**
 * What did a file say in another commit? Texts of gates, scenarios, fixtures and configurations in, as
 * some version of them was written; the file's value out where it has today's shape, null where not. Only
 * the shape is looked at: what was valid then is not judged again.
 */
import type { z } from "zod";
import { type Config, configFile } from "../model/config.ts";
import { type Gate, gateFile } from "../model/gate.ts";
import { type ScenarioFile, scenarioFile } from "../model/scenario.ts";
import { type Baseline, baselineFile } from "../model/baseline.ts";
import type { Problem } from "../model/problem.ts";
import { type Recording, recordingFile } from "../model/recording.ts";
import { type ToolSet, toolsFile } from "../model/tool.ts";
import { Checker } from "./checker.ts";
import { parseYaml } from "./yaml.ts";

function read<S extends z.ZodType>(text: string, schema: S): z.output<S> | null {
  const { source } = parseYaml("", text);
  if (source === null) return null;
  const parsed = schema.safeParse(source.value);
  return parsed.success ? parsed.data : null;
}

/** A gate's text as a gate, null where it has another shape. */
export function readGateText(text: string): Gate | null {
  return read(text, gateFile);
}

/** A scenario's text as it is written, null where it has another shape. */
export function readScenarioText(text: string): ScenarioFile | null {
  return read(text, scenarioFile);
}

/** A configuration's text, null where it has another shape. */
export function readConfigText(text: string): Config | null {
  return read(text, configFile);
}

/** A recording's text, null where it has another shape. */
export function readRecordingText(text: string): Recording | null {
  return read(text, recordingFile);
}

/** The tools of a tools file's text, null where it has another shape. */
export function readToolsText(text: string): ToolSet | null {
  return read(text, toolsFile)?.tools ?? null;
}

/** A baseline's text, null where it has another shape. */
export function readBaselineText(text: string): Baseline | null {
  try {
    const parsed = baselineFile.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Problems of a gate that lets through something else than `before` did: its version must be higher
 * and its reason another. `where` says where `before` stands, such as "HEAD".
 */
export function versionProblems(
  { file, text, gate }: { readonly file: string; readonly text: string; readonly gate: Gate },
  before: Gate,
  where: string,
): Problem[] {
  const { source } = parseYaml(file, text);
  if (source === null) return [];
  const checker = new Checker(source);
  if (gate.version <= before.version) {
    checker.say(["version"], {
      code: "gate-version-not-raised",
      what:
        `The gate differs from ${where}, and its version is ${gate.version}: expected more than ${before.version}`,
      fix: `write \`version: ${before.version + 1}\``,
    });
  }
  if (gate.reason.trim() === before.reason.trim()) {
    checker.say(["reason"], {
      code: "gate-reason-not-changed",
      what:
        `The gate differs from ${where}, and its reason is still that of version ${before.version}`,
      fix: "say in `reason` why this version differs from the last",
    });
  }
  return checker.problems;
}
