/**
 * Which recordings does a scenario have? The YAML files of `fixtures/recordings/<id>/`, by name;
 * `recordingProblems` says what a scenario lacks to be trusted.
 */
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Problem } from "../model/problem.ts";
import { recordingFile } from "../model/recording.ts";
import { shapeParsed } from "./issues.ts";
import { LINK_OUTSIDE, type ProjectFiles } from "./project_files.ts";
import { problemOfFile, type SourceFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";

export const RECORDINGS = "fixtures/recordings";

/** A recording with the text that it came from. */
export interface ReadRecording extends LoadedRecording {
  readonly source: SourceFile;
}

/** Reads the recordings of a scenario, sorted by name: all of them, or those of the given names. */
export async function readRecordings(
  reader: ProjectFiles,
  id: string,
  names: readonly string[] | undefined,
): Promise<{ recordings: ReadRecording[]; problems: Problem[] }> {
  const folder = `${RECORDINGS}/${id}`;
  const recordings: ReadRecording[] = [];
  const problems: Problem[] = [];
  for (const entry of await reader.files.list(reader.absolute(folder))) {
    const file = `${folder}/${entry.name}`;
    if (entry.kind === "folder" || entry.name.startsWith(".")) continue;
    if (!entry.name.endsWith(".yaml")) {
      if (/\.(ya?ml|json)$/i.test(entry.name)) problems.push(problemOfFile(file, EXTENSION));
      continue;
    }
    if (names !== undefined && !names.includes(entry.name.slice(0, -".yaml".length))) continue;
    if (!await reader.isInside(reader.absolute(file))) {
      problems.push(problemOfFile(file, LINK_OUTSIDE));
      continue;
    }
    const parsed = await reader.yaml(file);
    problems.push(...parsed.problems);
    if (parsed.source === null) continue;
    const shaped = shapeParsed(parsed, parsed.source, {
      schema: recordingFile,
      noun: "the recording",
    });
    problems.push(...shaped.problems);
    if (shaped.value === null) continue;
    const name = entry.name.slice(0, -".yaml".length);
    recordings.push({ name, file, recording: shaped.value, source: parsed.source });
  }
  return { recordings, problems };
}

const EXTENSION = {
  code: "wrong-extension",
  what: "A recording's file must end in .yaml, or it is never played",
  fix: "rename the file to end in .yaml",
};

/** Folders of recordings that belong to no scenario: what they prove is never looked at. */
export async function orphanProblems(
  reader: ProjectFiles,
  ids: readonly string[],
): Promise<Problem[]> {
  const folders = await reader.files.list(reader.absolute(RECORDINGS));
  return folders.filter(({ name, kind }) => kind !== "file" && !ids.includes(name))
    .map(({ name }) =>
      problemOfFile(`${RECORDINGS}/${name}`, {
        code: "orphan-recordings",
        severity: "warning",
        what: `The recordings of "${name}" belong to no scenario`,
        fix: didYouMean(name, ids, "rename the folder to a scenario's id, or remove it"),
      })
    );
}

/**
 * What a stable scenario lacks to be trusted: a recording `pass` that must pass, and one that must
 * fail. Apart from the static checks, so that a live run does not need recordings.
 */
export function recordingProblems(loaded: LoadedScenario): Problem[] {
  const { scenario, recordings, file } = loaded;
  const say = (code: string, what: string, fix: string): Problem =>
    problemOfFile(file, {
      code,
      severity: scenario.lifecycle === "stable" ? "error" : "warning",
      what,
      fix,
    });
  const folder = `${RECORDINGS}/${scenario.id}`;
  if (recordings.length === 0) {
    return [say(
      "no-recording",
      `Scenario "${scenario.id}" has no recording: nothing shows that a good run passes and a bad one fails`,
      `write ${folder}/pass.yaml and one that must fail`,
    )];
  }
  const problems: Problem[] = [];
  if (!recordings.some(({ name, recording }) => name === "pass" && recording.fails === undefined)) {
    problems.push(say(
      "no-passing-recording",
      `Scenario "${scenario.id}" has no recording "pass": nothing shows that it can be passed`,
      `write ${folder}/pass.yaml`,
    ));
  }
  if (!recordings.some(({ recording }) => recording.fails !== undefined)) {
    problems.push(say(
      "no-failing-recording",
      `Scenario "${scenario.id}" has no recording that must fail: nothing shows that it catches a bad run`,
      `write a recording in ${folder} with \`fails:\` and the conditions that it breaks`,
    ));
  }
  return problems;
}
