/** Does a machine-written JSON file have the shape that it claims? Baselines and reports. */
import type { z } from "zod";
import type { Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { hasErrors } from "../model/problem.ts";
import { shape } from "./issues.ts";
import { parseJson } from "./json_text.ts";
import { readNamed } from "./named_file.ts";
import type { Gathered } from "./project.ts";

/** Reads a JSON file against a schema; `value` is null where it could not be read. */
export async function readJsonFile<S extends z.ZodType>(
  files: Files,
  project: Project,
  wanted: { readonly path: string; readonly noun: string; readonly schema: S },
): Promise<{ value: z.output<S> | null } & Gathered> {
  const { file, text, problems, sources } = await readNamed(files, project, wanted);
  if (text === null) return { value: null, problems, sources };
  const parsed = parseJson(file, text);
  if (parsed.source === null) return { value: null, problems: parsed.problems, sources };
  const shaped = shape(parsed.source, wanted.schema, `the ${wanted.noun}`);
  const all = [...parsed.problems, ...shaped.problems];
  return { value: hasErrors(all) ? null : shaped.value, problems: all, sources };
}
