/** The small shapes that several formats share: times, ids, JSONata and RE2 texts, secrets. */
import { z } from "zod";
import { IDENTIFIER, SHA256 } from "./forms.ts";
import type { Json, JsonObject, State } from "./json.ts";
import { isObject } from "./json.ts";

/** A JSON value, taken as it is: the text it came from was JSON or YAML already. */
export const jsonValue: z.ZodType<Json> = z.custom<Json>((value) => value !== undefined)
  .meta({ description: "Any JSON value" });

/** A JSON object, taken as it is. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(isObject, {
  error: "expected an object",
}).meta({ type: "object", description: "Any JSON object" });

/** A state: collections of records; `outbox` is a list of messages. */
export const stateValue: z.ZodType<State> = z.custom<State>(isState, {
  error: "expected collections of records by id, and `outbox` as a list of messages",
}).meta({ type: "object", description: "Collections of records by id" });

/** True for an object of objects; `outbox` is a list of objects. */
export function isState(value: unknown): value is State {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, records]) =>
    name === "outbox" ? Array.isArray(records) && records.every(isObject) : isObject(records)
  );
}

/** An ISO 8601 time with an offset. */
export const isoTime = z.string().regex(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
  "expected an ISO 8601 time with an offset, such as 2026-10-01T09:00:00+02:00",
).meta({ description: "ISO 8601 time with an offset" });

/** A calendar day. */
export const isoDate = z.string().regex(/^\d{4}-\d\d-\d\d$/, "expected a day such as 2026-10-01")
  .meta({ description: "ISO 8601 date" });

/** An identifier as file names carry it. */
export const identifier = z.string().regex(
  IDENTIFIER,
  "expected lower-case letters, digits, `_` and `-` only",
);

/** A JSONata expression; checked at load. */
export const expressionText = z.string().min(1).meta({ description: "A JSONata expression" });

/** An RE2 pattern, unanchored and case-sensitive; checked at load. */
export const patternText = z.string().min(1).meta({ description: "An RE2 pattern" });

/** A path pattern into the state: `collection/record/field`, `*`, `**`. */
export const pathText = z.string().min(1).meta({
  description: "A state path; `*` and `**` allowed",
});

/** Arguments to match as a subset; a text value may be `{matches: re2}`. */
export const argsPattern = jsonObject;

/** A value that stands in the environment, never in the file. */
export const environmentName = z.strictObject({
  env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable"),
}).describe("The name of the environment variable that holds the value");

/** `sha256:<64 hex digits>`. */
export const sha256 = z.string().regex(SHA256, "expected sha256:<64 hex digits>");

/** ISO 4217 code. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/, "expected a currency code such as EUR");
