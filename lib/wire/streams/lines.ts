/**
 * How does a stream of JSON lines become a record? Each line is parsed here and handed to the reader
 * of its format. Blank lines are nothing, lines that are no JSON object are noise; a line that began
 * as an event and cannot be read may hide one, so that the stream counts as cut.
 */
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { StreamReader, StreamRecord } from "../../model/stream.ts";
import { LINE_MAX } from "./bounds.ts";
import type { Ending, StreamTrace } from "./trace.ts";

/** What one format makes of its events. */
export interface Format {
  event(event: JsonObject): void;
  ending(): Ending;
}

const EVENT_BEGINS = /^\{\s*(?:"|$)/;

/** Reads JSON lines of a format; `document`: a whole output that is one JSON list is read too. */
export class JsonLines implements StreamReader {
  readonly #trace: StreamTrace;
  readonly #format: Format;
  readonly #document: DocumentText | null;
  #noise = 0;
  /** Number of the line that began as an event and could not be read; null where the last could. */
  #unread: number | null = null;
  #lines = 0;

  constructor(
    trace: StreamTrace,
    format: Format,
    { document = false }: { readonly document?: boolean } = {},
  ) {
    this.#trace = trace;
    this.#format = format;
    this.#document = document ? new DocumentText() : null;
  }

  line(text: string): void {
    this.#lines++;
    if (text.length > LINE_MAX) {
      this.#noise++;
      this.#trace.break(
        `line ${this.#lines} is longer than ${LINE_MAX / 2 ** 20} million characters`,
      );
      return;
    }
    const line = text.trim().replace(/^\uFEFF/, "");
    if (line === "" || this.#document?.takes(line)) return;
    this.#passUnread();
    const value = parseJson(line);
    if (isObject(value)) this.#format.event(value);
    else if (value === undefined && EVENT_BEGINS.test(line)) this.#unread = this.#lines;
    else this.#noise++;
  }

  end(): StreamRecord {
    const list = this.#document?.list();
    if (list === null) this.#trace.break("its JSON document breaks off");
    for (const value of list ?? []) {
      if (isObject(value)) this.#format.event(value);
      else this.#noise++;
    }
    const truncated = this.#unread !== null || list === null;
    return this.#trace.record(this.#format.ending(), { noiseLines: this.#noise, truncated });
  }

  #passUnread(): void {
    if (this.#unread === null) return;
    this.#noise++;
    this.#trace.break(`line ${this.#unread} begins as an event and cannot be read`);
    this.#unread = null;
  }
}

/** A JSON list over one or more lines, where a stream begins with one. */
class DocumentText {
  #state: "open" | "no" | "yes" = "open";
  #text: string[] = [];
  #size = 0;

  /** True where the line belongs to the document. */
  takes(line: string): boolean {
    if (this.#state === "open") this.#state = line.startsWith("[") && !isNoise(line) ? "yes" : "no";
    if (this.#state === "no") return false;
    this.#size += line.length;
    if (this.#size <= LINE_MAX) this.#text.push(line);
    return true;
  }

  /** Its items; undefined where there is no document, null where it cannot be read. */
  list(): readonly Json[] | null | undefined {
    if (this.#state !== "yes") return undefined;
    const value = this.#size > LINE_MAX ? undefined : parseJson(this.#text.join("\n"));
    return Array.isArray(value) ? value : null;
  }
}

/** A line such as `[DEBUG] …` or `[]`. */
function isNoise(line: string): boolean {
  return !/^\[\s*(?:\{|$)/.test(line);
}

/** A text as JSON, undefined where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
