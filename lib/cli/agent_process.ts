/**
 * How is one process of an agent started, and what did it tell? Arguments and environment are filled
 * in, its output goes into the run's logs and to the reader of its format. Out: the process's end, the
 * record of its output, and what was kept of it; nothing is judged here.
 */
import { fillPlaceholders, type FixedPlaceholder, uses } from "../model/agent_placeholders.ts";
import type { AgentEnd } from "../model/agent_process.ts";
import type { CommandAgentConfig } from "../model/config.ts";
import type { StreamRecord } from "../model/stream.ts";
import { openclawRecord } from "../wire/streams/openclaw.ts";
import { streamReader } from "../wire/streams/reader.ts";
import type { RunFolder } from "./agent_folder.ts";
import { lineMasker } from "./agent_log.ts";
import { sandboxOf } from "./agent_sandbox.ts";
import { bareEnvironment } from "./proofs.ts";
import { join, type Session } from "./session.ts";

/** What all processes of a run share. */
export interface AgentPlaces {
  readonly session: Pick<Session, "io" | "project" | "masker">;
  readonly config: CommandAgentConfig;
  readonly folder: RunFolder;
  readonly values: Readonly<Record<FixedPlaceholder, string>>;
  /** Where `events.jsonl` and `stderr.log` are kept, absolute. */
  readonly logs: string;
}

/** One user turn for a process. */
export interface AgentTurn {
  readonly text: string;
  /** The session of the turn before, null for the first. */
  readonly session: string | null;
  readonly isFirst: boolean;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** One process that ended. */
export interface EndedProcess {
  /** As it was started, the program as it was named. */
  readonly argv: readonly string[];
  readonly ended: AgentEnd;
  readonly record: StreamRecord;
  /** The text of the file behind `{response}`, null where the program left none. */
  readonly response: string | null;
}

/** Starts a process for a turn and waits for its end; a text says why it cannot be started. */
export async function runAgentProcess(
  places: AgentPlaces,
  turn: AgentTurn,
): Promise<EndedProcess | string> {
  const { session: { io, masker }, config, folder, values, logs } = places;
  const words = turn.isFirst ? config.argv : config.resume;
  if (words === undefined) return "The user speaks again, and the agent has no `resume`";
  if (!turn.isFirst && turn.session === null && words.some((word) => uses(word, ["session"]))) {
    return "The agent's output named no session that a later turn could go on with";
  }
  const env = environmentOf(places);
  if (typeof env === "string") return env;
  await io.files.writeText(join(folder.given, "prompt.txt"), turn.text);
  await io.files.remove(values.response);
  const argv = argumentsOf(places, words, turn);
  const isHanded = words.some((word) => uses(word, ["prompt", "prompt_text"]));
  const reader = streamReader(config.stream, { workspace: folder.work });
  const masks = { out: lineMasker(masker), err: lineMasker(masker) };
  const lines: string[] = [];
  const ended = await io.agents.start({
    argv,
    cwd: folder.work,
    env,
    input: isHanded ? null : turn.text,
    limitMs: Math.max(1, turn.limitMs),
    signal: turn.signal,
    outFile: join(logs, "events.jsonl"),
    errFile: join(logs, "stderr.log"),
    keep: (stream, line) => masks[stream](line),
    line: (text) => {
      reader.line(text);
      if (config.stream === "openclaw") lines.push(text);
    },
    sandbox: config.isolation === "bwrap"
      ? await sandboxOf(io, {
        folder,
        argv,
        path: env["PATH"] ?? "",
        urls: [values.model_url, values.mcp_url],
      })
      : null,
  });
  const record = config.stream === "openclaw"
    ? await transcriptOf(places, lines.join("\n")) ?? reader.end()
    : reader.end();
  const response = await responseIn(io, values.response);
  return { argv, ended, record, response };
}

/** A last answer beyond this is none, in bytes. */
const RESPONSE_MAX = 8 * 1024 * 1024;

/** What the program left as its last answer; a link may lead to what it may not read, a pipe never ends. */
async function responseIn(
  io: AgentPlaces["session"]["io"],
  path: string,
): Promise<string | null> {
  const found = await io.files.stat(path).catch(() => null);
  const folder = await io.files.stat(join(path, "..")).catch(() => null);
  if (found?.kind !== "file" || folder?.kind !== "folder" || found.size > RESPONSE_MAX) return null;
  return await io.files.readText(path).catch(() => null);
}

function argumentsOf(
  { session: { project }, folder, values }: AgentPlaces,
  words: readonly string[],
  turn: AgentTurn,
): string[] {
  const filled = words.map((word) =>
    fillPlaceholders(word, {
      ...values,
      prompt: join(folder.given, "prompt.txt"),
      prompt_text: turn.text,
      ...(turn.session === null ? {} : { session: turn.session }),
    })
  );
  const [program = "", ...rest] = filled;
  return [program.includes("/") ? join(project.root, program) : program, ...rest];
}

/** The whole environment of the program; a text says which variable is missing. */
function environmentOf(
  { session, config, folder, values }: AgentPlaces,
): Readonly<Record<string, string>> | string {
  const env: Record<string, string> = {
    ...bareEnvironment(session, folder.home),
    TMPDIR: folder.tmp,
  };
  for (const [name, value] of Object.entries(config.env ?? {})) {
    if (typeof value === "string") env[name] = fillPlaceholders(value, values);
    else {
      const text = session.io.env(value.env);
      if (text === undefined) return `${value.env} is not set in the environment`;
      env[name] = text;
    }
  }
  return env;
}

const TRANSCRIPT = ".openclaw/agents/main/agent/openclaw-agent.sqlite";

/** OpenClaw tells its calls in a file of its own; null where that cannot be read. */
async function transcriptOf(
  { session: { io }, folder }: AgentPlaces,
  output: string,
): Promise<StreamRecord | null> {
  const path = join(folder.home, TRANSCRIPT);
  if (await io.files.stat(path) === null) return null;
  const tables = await io.files.readSqlite(path).catch(() => ({}));
  const rows = "transcript_events" in tables ? tables.transcript_events : null;
  if (typeof rows !== "object" || rows === null) return null;
  const texts = Object.values(rows).flatMap((row) => {
    const text = typeof row === "object" && row !== null && "event_json" in row
      ? row.event_json
      : null;
    return typeof text === "string" ? [text] : [];
  });
  return openclawRecord(texts, { workspace: folder.work, output });
}
