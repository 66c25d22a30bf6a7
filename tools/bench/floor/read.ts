/** Is a line a run of the right shape, and which states does it tell of? Throws where it is not. */
import { createHash } from "node:crypto";
import { type Fields, isFields, keys, type Plain } from "./types.ts";

const KEYS: Record<string, ReadonlySet<string>> = {
  run: keys(
    "schema scenario scenarioHash trial mode agent recording startedAt ended events state usage",
  ),
  message: keys("kind atMs turn role text"),
  call: keys("kind id atMs endMs turn tool args effect status result error fault wrote source"),
  notice: keys("kind atMs turn level text"),
  usage: keys("inputTokens cachedInputTokens outputTokens latencyMs cost"),
};
const EFFECTS = keys("read write irreversible message ask hand_over");
const STATUSES = keys("ok error denied cancelled unfinished");
const ENDS = keys("completed limit timeout interrupted agent_error environment_error stale");

export function must(holds: boolean, line: number, what: string): void {
  if (!holds) throw new Error(`line ${line}: ${what}`);
}

function checkKeys(value: Fields, kind: string, line: number): void {
  const allowed = KEYS[kind] as ReadonlySet<string>;
  for (const key in value) must(allowed.has(key), line, `unknown key ${key} in ${kind}`);
}

function optionalNumber(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value >= 0);
}

export function checkRun(run: Fields, line: number): void {
  checkKeys(run, "run", line);
  must(typeof run.scenario === "string", line, "scenario");
  must(Number.isInteger(run.trial), line, "trial");
  must(run.mode === "recorded" || run.mode === "replay" || run.mode === "live", line, "mode");
  must(isFields(run.agent) && typeof run.agent.name === "string", line, "agent");
  must(isFields(run.ended) && ENDS.has(run.ended.kind as string), line, "ended");
  must(Array.isArray(run.events), line, "events");
  for (const event of run.events as Plain[]) checkEvent(event, line);
  must(isFields(run.state), line, "state");
  const usage = run.usage;
  if (usage === undefined) return;
  must(isFields(usage), line, "usage");
  checkKeys(usage as Fields, "usage", line);
  must(optionalNumber((usage as Fields).inputTokens), line, "inputTokens");
  must(optionalNumber((usage as Fields).outputTokens), line, "outputTokens");
}

function checkEvent(event: Plain, line: number): void {
  if (!isFields(event)) throw new Error(`line ${line}: event`);
  must(optionalNumber(event.atMs) && optionalNumber(event.turn), line, "times");
  checkKeys(event, event.kind as string, line);
  if (event.kind === "call") {
    must(typeof event.id === "string" && typeof event.tool === "string", line, "call");
    must(isFields(event.args) && STATUSES.has(event.status as string), line, "call");
    must(event.effect === undefined || EFFECTS.has(event.effect as string), line, "effect");
    must(event.wrote === undefined || Array.isArray(event.wrote), line, "wrote");
  } else must(typeof event.text === "string", line, "text");
}

const lineOfRecord = new WeakMap<object, string>();

function recordHash(record: Plain): string {
  if (typeof record !== "object" || record === null) return sha(JSON.stringify(record));
  let known = lineOfRecord.get(record);
  if (known === undefined) lineOfRecord.set(record, known = sha(sorted(record)));
  return known;
}

function sha(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export function sorted(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const parts = Object.keys(value).sort().map((key) =>
    `${JSON.stringify(key)}:${sorted(value[key] as Plain)}`
  );
  return `{${parts.join(",")}}`;
}

export function stateHash(state: Fields): string {
  const sum = createHash("sha256");
  for (const name of Object.keys(state).sort()) {
    const records = state[name] as Fields;
    const head = JSON.stringify(name);
    let text = "";
    for (const id of Object.keys(records).sort()) {
      text += `${head}\t${JSON.stringify(id)}\t${recordHash(records[id] as Plain)}\n`;
    }
    sum.update(text);
  }
  return `sha256:${sum.digest("hex")}`;
}

function withChanges(before: Fields, changes: Fields[]): Fields {
  const after = { ...before };
  for (const change of changes) {
    const [collection, id, ...rest] = (change.path as string).split("/").map(decode);
    let records = after[collection as string] as Fields;
    if (records === before[collection as string]) records = { ...records };
    after[collection as string] = records;
    if (rest.length === 0) {
      if (change.op === "deleted") delete records[id as string];
      else records[id as string] = change.after as Plain;
      continue;
    }
    const record = { ...(records[id as string] as Fields) };
    records[id as string] = record;
    let place = record;
    for (const part of rest.slice(0, -1)) {
      place = place[part] = { ...(place[part] as Fields) };
    }
    const last = rest.at(-1) as string;
    if (change.op === "deleted") delete place[last];
    else place[last] = change.after as Plain;
  }
  return after;
}

export function decode(part: string): string {
  return part.includes("%") ? decodeURIComponent(part) : part;
}

/** Resolves and verifies both states of a run in place. */
export function resolveStates(
  run: Fields,
  stored: ReadonlyMap<string, Fields>,
  line: number,
): void {
  const state = run.state as { before: Fields; after: Fields };
  if (typeof state.before.ref === "string") {
    const before = stored.get(state.before.ref);
    if (before === undefined) throw new Error(`line ${line}: unknown state`);
    state.before = before;
  }
  const { changes, hash } = state.after;
  if (typeof hash === "string" && Array.isArray(changes)) {
    state.after = withChanges(state.before, changes as Fields[]);
    must(stateHash(state.after) === hash, line, "state after has another hash");
  }
}
