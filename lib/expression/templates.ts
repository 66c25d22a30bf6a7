/**
 * Which paths can a tool's path with `<names>` become? A `<name>` that is an argument of a few words
 * is each of them; any other may be any text. In: the path, the tool's input schema. Out: paths.
 */
import { isObject, type Json, type JsonObject, own } from "../model/json.ts";

/** Words of one argument, and paths of one template, beyond which it is left as it is. */
const WORDS_MAX = 20;
const PATHS_MAX = 400;

/** The template for every choice of the words that its arguments may be; other names are kept. */
export function expandTemplate(path: string, input: JsonObject): string[] {
  let paths = [path];
  for (const [whole, name = ""] of new Set(path.matchAll(/<([^<>.]*)>/g))) {
    const words = wordsOf(argumentSchema(input, name));
    if (words === null || words.length * paths.length > PATHS_MAX) continue;
    paths = paths.flatMap((one) => words.map((word) => one.replaceAll(whole, word)));
  }
  return paths;
}

/** A tool's path as a pattern: each `<name>` is any text. */
export function templatePattern(path: string): string {
  return path.replace(/<[^<>]*>/g, "*");
}

/** The schema of an argument, null where the tool has none of that name. */
export function argumentSchema(input: JsonObject, name: string): JsonObject | null {
  const properties = own(input, "properties");
  const schema = isObject(properties ?? null) ? own(properties as JsonObject, name) : undefined;
  return isObject(schema ?? null) ? schema as JsonObject : null;
}

function wordsOf(schema: JsonObject | null): string[] | null {
  if (schema === null) return null;
  const words: Json | undefined = own(schema, "enum");
  const constant = own(schema, "const");
  const all = Array.isArray(words) ? words : constant === undefined ? null : [constant];
  return all === null || all.length > WORDS_MAX ? null : all.map(String);
}
