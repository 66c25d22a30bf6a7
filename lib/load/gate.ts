/** What must hold before a version ships? Reads a gate file and checks its rules. */
import { type Gate, gateFile } from "../model/gate.ts";
import type { Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { hasErrors, type Problem, sortProblems } from "../model/problem.ts";
import { checkGate } from "./check_gate.ts";
import { gateHash } from "./gate_hash.ts";
import { readNamed } from "./named_file.ts";
import { shapeParsed } from "./issues.ts";
import type { Gathered } from "./project.ts";
import { parseYaml } from "./yaml.ts";

/**
 * Reads a gate; `path` is absolute or relative to the project. `hash` is that of the gate without
 * its words for people, empty where it could not be read.
 */
export async function loadGate(
  files: Files,
  project: Project,
  path: string,
): Promise<{ gate: Gate | null; hash: string } & Gathered> {
  const named = await readNamed(files, project, { path, noun: "gate" });
  const sources = named.sources;
  if (named.text === null) return { gate: null, hash: "", problems: named.problems, sources };
  const parsed = parseYaml(named.file, named.text);
  const problems: Problem[] = [...parsed.problems];
  let gate: Gate | null = null;
  if (parsed.source !== null) {
    const shaped = shapeParsed(parsed, parsed.source, { schema: gateFile, noun: "the gate" });
    problems.push(...shaped.problems);
    gate = shaped.value;
    if (gate !== null) problems.push(...checkGate(parsed.source, gate));
  }
  const sorted = sortProblems(problems);
  if (gate === null || hasErrors(sorted)) {
    return { gate: null, hash: "", problems: sorted, sources };
  }
  return { gate, hash: gateHash(gate), problems: sorted, sources };
}
