/**
 * Which words of a conversation differ only because this run lies in other folders, or on another
 * day? In: texts of a program. Out: the same with `{workspace}`, `{home}` and `{run}` for its folders, and for
 * system texts `{date}` for days; and back. A folder's name inside a longer word is left alone.
 */
import { isObject, type Json, type JsonObject, put } from "../../model/json.ts";
import type { AgentPlace } from "../../model/model_api.ts";

type Folders = Pick<AgentPlace, "workspace" | "home">;

const patterns = new WeakMap<Folders, readonly (readonly [RegExp, string])[]>();

function patternsOf(folders: Folders): readonly (readonly [RegExp, string])[] {
  const known = patterns.get(folders);
  if (known !== undefined) return known;
  const made = namedFolders(folders).filter(([path]) => path.length > 1)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([path, word]) => [new RegExp(`${escaped(path)}(?![\\w-])`, "g"), word] as const);
  patterns.set(folders, made);
  return made;
}

/** The folder of the whole run is known where workspace and home lie in one. */
function namedFolders({ workspace, home }: Folders): readonly (readonly [string, string])[] {
  const [run, other] = [parentOf(workspace), parentOf(home)];
  const both = run === other && run.length > 1 ? [[run, "{run}"] as const] : [];
  return [[workspace, "{workspace}"], [home, "{home}"], ...both];
}

function parentOf(path: string): string {
  return path.replace(/\/+[^/]*\/*$/, "");
}

function escaped(text: string): string {
  return text.replace(/\/+$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The text with placeholders for the run's folders. */
export function withoutPaths(text: string, folders: Folders): string {
  const { workspace, home } = folders;
  const run = parentOf(workspace);
  // Most texts hold no path: looking for one costs less than replacing.
  if (run.length > 1 && home.startsWith(`${run}/`) && !text.includes(run)) return text;
  return patternsOf(folders).reduce(
    (rest, [path, word]) => rest.replace(path, () => word),
    text,
  );
}

/** The text with the run's folders for placeholders. */
export function withPaths(text: string, folders: Folders): string {
  return namedFolders(folders).reduce(
    (rest, [path, word]) => rest.replaceAll(word, () => path),
    text,
  );
}

/** The same for each text of a value, keys left as they are. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  return isObject(value) ? mapFields(value, change) : value;
}

/** The same for each text of an object. */
export function mapFields(value: JsonObject, change: (text: string) => string): JsonObject {
  const copy: JsonObject = {};
  for (const [key, one] of Object.entries(value)) put(copy, key, mapTexts(one, change));
  return copy;
}

const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*";
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const DATES = new RegExp(
  `\\b(?:\\d{4}-\\d\\d-\\d\\d\\b|(?:${DAY},? )?${MONTH} \\d{1,2},? \\d{4}\\b|` +
    `(?:${DAY},? )?\\d{1,2} ${MONTH} \\d{4}\\b|\\d{1,2}/\\d{1,2}/\\d{4}\\b)`,
  "g",
);

const YEAR = /\d{4}/;

/** The text with `{date}` for every day in it. */
export function withoutDates(text: string): string {
  return YEAR.test(text) ? text.replace(DATES, "{date}") : text;
}

const DURATION = /\b\d+(?:\.\d+)?(?= ?(?:ms|s|sec|secs|seconds|milliseconds)\b)/g;
const DURATION_KEY = /\b(duration_ms:?) [\d.]+/g;

/** A command's output with `{time}` for how long things took. */
export function withoutDurations(text: string): string {
  return text.replace(DURATION_KEY, "$1 {time}").replace(DURATION, "{time}");
}
