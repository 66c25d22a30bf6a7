/**
 * How is a place in the state written as text? `collection/record/field/…`, one part between two
 * slashes. A `/` inside a part is `%2F`, a `*` `%2A`, and a `%` that would read as one of these
 * `%25`; under `files/` the rest is the file's own path as it is, never coded and never split.
 */
import { FILES } from "./json.ts";

/** A path's decoded parts; for files `["files", "<the file's own path>"]`. */
export type PathParts = readonly string[];

const AMBIGUOUS = /%(?=2F|2A|25)/gi;
const CODED = /%(2F|2A|25)/gi;

/** The parts of a path's text; never fails, an empty text is one empty part. */
export function parsePath(text: string): PathParts {
  if (text.startsWith(`${FILES}/`)) return [FILES, text.slice(FILES.length + 1)];
  const parts = text.split("/");
  return text.includes("%") ? parts.map(decodePart) : parts;
}

/** The text of a path; `parsePath` gives the parts back. */
export function formatPath(parts: PathParts): string {
  if (parts[0] === FILES) return parts.join("/");
  return parts.map(encodePart).join("/");
}

/** One part as a path's text carries it. */
export function encodePart(part: string): string {
  if (!/[%/*]/.test(part)) return part;
  return part.replace(AMBIGUOUS, "%25").replaceAll("/", "%2F").replaceAll("*", "%2A");
}

/** One part without its coding. */
export function decodePart(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(
    CODED,
    (code) => code === "%25" ? "%" : code === "%2A" || code === "%2a" ? "*" : "/",
  );
}
