/**
 * What is there to know of a run besides its trace? The programs as they were started, how they ended,
 * what our servers counted, versions and usage: the content of `run.json` among the artifacts.
 */
import type { AgentEnd, Hold } from "../model/agent_process.ts";
import type { ProofOutcome, Usage } from "../model/run.ts";
import type { StreamEnd } from "../model/stream.ts";
import { tellsTotalUsage } from "../wire/streams/reader.ts";
import type { AnswerUsage } from "../run/usage_sum.ts";
import { sumUsage } from "../run/usage_sum.ts";
import type { EndedProcess } from "./agent_process.ts";
import type { CommandPlay } from "./agent_play.ts";
import type { AgentServers } from "./agent_servers.ts";
import type { SourceReport } from "./agent_source.ts";
import type { Talked } from "./agent_conversation.ts";
import { join, type Session } from "./session.ts";
import { VERSION } from "./version.ts";

/** `run.json` among the artifacts of a run. */
export interface AgentFacts {
  readonly schema: "collaudo/agent-run@1";
  readonly scenario: string;
  readonly trial: number;
  readonly agent: string;
  readonly mode: "replay" | "live";
  readonly recording: string | null;
  readonly versions: Readonly<Record<string, string | null>>;
  readonly stream: string;
  readonly isolation: "none" | "bwrap";
  readonly timeoutS: number;
  readonly ended: { readonly kind: string; readonly detail?: string | undefined };
  readonly processes: readonly ProcessReport[];
  readonly model: {
    readonly requests: number;
    readonly turns: number;
    readonly sides: number;
    readonly misses: readonly string[];
    /** Addresses that no interface has. */
    readonly strange: readonly string[];
    /** As they name themselves. */
    readonly answered: readonly string[];
  };
  readonly tools: {
    readonly initialize: number;
    readonly toolsList: number;
    readonly calls: number;
  };
  /** Null where nothing told it. */
  readonly usage: Usage | null;
  readonly proofs: readonly ProofOutcome[];
  readonly source: Pick<SourceReport, "files" | "changes"> | null;
}

/** One process as it was. */
interface ProcessReport {
  /** The file that was started. */
  readonly program: string | null;
  readonly argv: readonly string[];
  /** Of the program alone; null where it did not end by itself. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly end: AgentEnd["end"]["kind"];
  readonly hold: Hold;
  readonly durationMs: number;
  readonly outBytes: number;
  readonly errBytes: number;
  readonly cutLines: number;
  readonly streamEnd: StreamEnd;
  readonly terminal: string | null;
  readonly noiseLines: number;
  readonly truncated: boolean;
}

/** What facts are made of. */
interface Known {
  readonly servers: AgentServers;
  readonly talked: Talked;
  readonly proofs: readonly ProofOutcome[];
  readonly source: SourceReport | null;
}

/** The facts, with the usage and the model that the run itself tells. */
export async function factsOf(
  play: CommandPlay,
  { servers, talked, proofs, source }: Known,
): Promise<{ readonly facts: AgentFacts; readonly usage: Usage; readonly model: string | null }> {
  const { session, agent: { name, config }, mode, recording, loaded, trial } = play;
  const { requests, turns, sides, misses, strange, models } = servers.models.seen();
  const told = talked.processes.flatMap(({ record }) =>
    record.model === null ? [] : [record.model]
  );
  const answered = [...new Set(models.length > 0 ? models : told)];
  const usage = usageOf(play, servers, talked);
  const facts: AgentFacts = {
    schema: "collaudo/agent-run@1",
    scenario: loaded.scenario.id,
    trial,
    agent: name,
    mode,
    recording: recording?.name ?? null,
    versions: {
      collaudo: VERSION,
      deno: session.io.denoVersion,
      program: await programVersion(session, talked.processes[0]?.ended.program ?? null),
    },
    stream: config.stream,
    isolation: config.isolation ?? "none",
    timeoutS: config.timeout_s,
    ended: talked.ended,
    processes: talked.processes.map(reportOf),
    model: { requests, turns, sides, misses, strange, answered },
    tools: talked.tools,
    usage: Object.keys(usage).length === 0 ? null : usage,
    proofs,
    source: source === null ? null : { files: source.files, changes: source.changes },
  };
  // What a program calls its model in a replay is a name that we gave it.
  const replayed = recording?.recording.model ?? null;
  const model = mode === "replay" ? replayed : answered.at(-1) ?? null;
  return { facts, usage, model };
}

function reportOf({ argv, ended, record }: EndedProcess): ProcessReport {
  const { program, end, hold, durationMs, outBytes, errBytes, cutLines } = ended;
  return {
    argv,
    program,
    exitCode: end.kind === "exited" ? end.code : null,
    signal: end.kind === "killed" ? end.signal : null,
    end: end.kind,
    hold,
    durationMs,
    outBytes,
    errBytes,
    cutLines,
    streamEnd: record.end,
    terminal: record.terminal,
    noiseLines: record.noiseLines,
    truncated: record.truncated,
  };
}

/** What our model server counted; where the agent asked a model of its own, what its output tells. */
function usageOf({ mode, agent }: CommandPlay, servers: AgentServers, talked: Talked): Usage {
  const { turns, usage } = servers.models.seen();
  const counted = turns > 0 ? usage : toldUsage(agent.config.stream, talked);
  if (mode === "replay") return counted;
  const latencyMs = talked.processes.reduce((sum, { ended }) => sum + ended.durationMs, 0);
  return { ...counted, latencyMs };
}

function toldUsage(
  stream: CommandPlay["agent"]["config"]["stream"],
  { processes }: Talked,
): Usage {
  const told = processes.map(({ record }): AnswerUsage => ({
    usage: record.usage,
    latencyMs: null,
  }));
  return sumUsage(tellsTotalUsage(stream) ? told.slice(-1) : told);
}

const LEVELS_MAX = 6;

/** Name and version of the package that a program lies in; null where there is none. */
async function programVersion(
  { io }: Pick<Session, "io">,
  program: string | null,
): Promise<string | null> {
  if (program === null) return null;
  let folder = join(await io.files.realPath(program).catch(() => program), "..");
  for (let level = 0; level < LEVELS_MAX && folder !== "/"; level++) {
    const text = await io.files.readText(join(folder, "package.json")).catch(() => null);
    const named = text === null ? null : packageIn(text);
    if (named !== null) return named;
    folder = join(folder, "..");
  }
  return null;
}

function packageIn(text: string): string | null {
  try {
    const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
    return typeof name === "string" && typeof version === "string" ? `${name}@${version}` : null;
  } catch {
    return null;
  }
}
