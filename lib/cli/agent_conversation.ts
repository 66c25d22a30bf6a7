/**
 * How does the conversation with an agent's program go? One process for each user turn, as long as
 * turns are left and nothing ended the run; after each, what all sources saw is merged into the trace
 * and the folder is read into the state. Out: how the run ended, and facts for its artifacts.
 */
import { compileRe2 } from "../expression/re2.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Json } from "../model/json.ts";
import { innerCommand } from "../model/shell.ts";
import type { Ended, RunEvent } from "../model/run.ts";
import { conversationOver, nextTurn } from "../run/conversation.ts";
import type { StreamEnd, StreamRecord } from "../model/stream.ts";
import type { BareEvent, Episode } from "../run/episode.ts";
import { type AskedCall, mergeTrace, type SeenChange } from "../run/merge_trace.ts";
import type { AnsweredCall } from "../run/model_log.ts";
import type { ModelService } from "../run/model_service.ts";
import { tellApart } from "../run/own_commands.ts";
import { processEnded } from "../run/process_ended.ts";
import { readInto } from "../run/real_workspace.ts";
import type { Stop } from "../run/stop.ts";
import type { SeenByTools, ToolService } from "../run/tool_service.ts";
import { mapTexts } from "../wire/api/run_paths.ts";
import { unpackedCommand } from "../wire/streams/claude_shell.ts";
import { type AgentPlaces, type EndedProcess, runAgentProcess } from "./agent_process.ts";
import type { RunFolder } from "./agent_folder.ts";
import type { AgentNeeds } from "./agent_servers.ts";
import type { FileWatch } from "./file_watch.ts";
import type { Stage } from "./agent_stage.ts";
import { join } from "./session.ts";

/** What drives a conversation. */
export interface AgentDrive {
  readonly episode: Episode;
  readonly places: AgentPlaces;
  readonly stage: Stage;
  readonly stop: Stop;
  readonly tools: ToolService;
  readonly models: ModelService;
  readonly needs: AgentNeeds;
  /** Null where the agent works on no files of ours. */
  readonly watch: FileWatch | null;
}

/** A conversation that is over. */
export interface Talked {
  readonly ended: Ended;
  readonly processes: readonly EndedProcess[];
  /** Each user turn and the last that the program said in it. */
  readonly said: readonly { readonly prompt: string; readonly response: string }[];
  readonly tools: SeenByTools;
}

/** Talks until no turn is left, or the run ends otherwise. */
export async function converse(drive: AgentDrive): Promise<Talked> {
  const { episode, models } = drive;
  const talk = new Talk(drive);
  for (;;) {
    const turn = await nextTurn(episode);
    if (turn.kind === "undecided") {
      return talk.over({ kind: "environment_error", detail: turn.why });
    }
    turn.notices.forEach((notice) => episode.notice(notice));
    if (turn.kind === "over") return talk.over(settled(models, conversationOver(episode)));
    const from = episode.events.length;
    episode.hear(turn.text);
    const ended = await talk.play(turn.text, from);
    if (ended !== null) return talk.over(settled(models, ended));
  }
}

/** A recording with turns left over was made for another conversation. */
function settled(models: ModelService, ended: Ended): Ended {
  const leftOver = ended.kind === "completed" ? models.leftOver() : null;
  return leftOver === null ? ended : { kind: "stale", detail: leftOver };
}

/** Standard error beyond this is not looked at, in bytes; of its last line so many characters are told. */
const STDERR_MAX = 1024 * 1024;
const WORDS_MAX = 300;

/** Ids of what our tools did not number. */
const ID = "s";

class Talk {
  readonly #drive: AgentDrive;
  readonly #processes: EndedProcess[] = [];
  readonly #said: { prompt: string; response: string }[] = [];
  readonly #over = new AbortController();
  #asked = 0;
  #ids = 0;
  #notices = 0;

  constructor(drive: AgentDrive) {
    this.#drive = drive;
    drive.tools.ended.then(() => this.#over.abort());
  }

  over(ended: Ended): Talked {
    const tools = this.#drive.tools.seen();
    return { ended, processes: this.#processes, said: this.#said, tools };
  }

  /** One user turn, whose events begin at `from`; how it ended the run, or null. */
  async play(text: string, from: number): Promise<Ended | null> {
    const { episode, places, stop, tools, stage } = this.#drive;
    const last = this.#processes.at(-1);
    const done = await runAgentProcess(places, {
      text,
      session: last?.record.session ?? null,
      isFirst: last === undefined,
      limitMs: places.config.timeout_s * 1000,
      signal: AbortSignal.any([stop.signal, this.#over.signal]),
    });
    if (typeof done === "string") return { kind: "environment_error", detail: done };
    const session = done.record.session ?? last?.record.session ?? null;
    this.#processes.push({ ...done, record: { ...done.record, session } });
    await tools.idle();
    if (done.ended.end.kind !== "not_started" && done.ended.hold === "group") this.#warn();
    this.#hearNotices();
    const changed = await this.#changed();
    const evidence = episode.events.slice(from);
    const merged = this.#merge(done, evidence, changed);
    episode.events.splice(from, evidence.length, ...merged);
    this.#said.push({ prompt: text, response: done.response ?? lastWords(merged) });
    const ended = await this.#withWords(this.#ended(done), done);
    const unread = stage.readsFiles ? await readFolder(episode, stage) : null;
    return unread === null ? ended : ended ?? { kind: "environment_error", detail: unread };
  }

  #warn(): void {
    const text = "This machine makes no namespace of process ids for the agent: " +
      "what it starts in a session of its own may outlive the run";
    this.#drive.episode.record({ kind: "notice", level: "warning", text });
  }

  #hearNotices(): void {
    const { notices } = this.#drive.models.seen();
    for (const notice of notices.slice(this.#notices)) this.#drive.episode.notice(notice);
    this.#notices = notices.length;
  }

  /** What was found changed in the folder since the last turn, counted from its first call. */
  async #changed(): Promise<SeenChange[]> {
    const { watch, models } = this.#drive;
    if (watch === null) return [];
    await watch.look(models.seen().answered.length);
    return watch.take().map(({ event, asked }) => ({ event, asked: asked - this.#asked }));
  }

  #merge(
    done: EndedProcess,
    evidence: readonly RunEvent[],
    changed: readonly SeenChange[],
  ): RunEvent[] {
    const { models, episode, needs, places: { folder, config } } = this.#drive;
    const { answered } = models.seen();
    const asked = answered.slice(this.#asked).map(askedCall);
    this.#asked = answered.length;
    const testimony = toldBy(done, config.stream);
    const told = testimony.some(({ kind }) =>
      kind === "call" || kind === "command" || kind === "file"
    );
    const first = evidence[0];
    const { deeds } = tellApart({
      commands: done.ended.commands.map((each, at) => recordedCommand(each, at, config.stream)),
      testimony,
      asked,
      servesModel: needs.model,
      counts: (command) => isForbidden(episode.loaded, command),
    });
    const merged = mergeTrace({
      evidence,
      testimony,
      commands: deeds,
      asked,
      servesModel: needs.model,
      changed,
      tellsCalls: told || (config.stream !== "none" && config.stream !== "openclaw"),
      start: { atMs: first?.atMs ?? episode.clock.nowMs(), turn: first?.turn ?? episode.turn },
      nextId: () => `${ID}${++this.#ids}`,
    });
    return merged.map((event) => withoutPlaces(event, folder));
  }

  /** A program that asked nothing says on its standard error why. */
  async #withWords(ended: Ended | null, { ended: { errBytes } }: EndedProcess) {
    const { places: { session, logs, folder }, models } = this.#drive;
    const isMute = ended?.kind === "environment_error" && models.seen().requests === 0;
    if (!isMute || errBytes === 0 || errBytes > STDERR_MAX) return ended;
    const said = await session.io.files.readText(join(logs, "stderr.log")).catch(() => "");
    const last = said.trim().split("\n").at(-1)?.slice(-WORDS_MAX) ?? "";
    if (last === "") return ended;
    return {
      ...ended,
      detail: `${ended.detail}; it said ${JSON.stringify(nameless(last, folder))}`,
    };
  }

  #ended({ ended: { end }, record }: EndedProcess): Ended | null {
    const { stop, tools, models, needs, episode } = this.#drive;
    const { requests, misses, failures, firstTools } = models.seen();
    const served = episode.loaded.scenario.setup.available_tools;
    const [failure] = failures;
    const ended = processEnded({
      end,
      stopped: stop.ended(),
      over: tools.over(),
      stream: endOfStream(record, episode.events),
      model: { served: needs.model, requests, misses },
      tools: served.length === 0 || !needs.tools ? null : {
        ...tools.seen(),
        missing: firstTools === null ? [] : served.filter((name) => !firstTools.includes(name)),
      },
    });
    if (failure === undefined || ended === null || ended.kind === "completed") return ended;
    return ended.kind === "agent_error" || ended.kind === "interrupted"
      ? { kind: "environment_error", detail: `The model failed: ${failure}` }
      : ended;
  }
}

/** A program that says that it went well, though its own rules refused what it wanted to do, has done less than it says. */
function endOfStream({ end, events }: StreamRecord, trace: readonly RunEvent[]): StreamEnd {
  const refused =
    events.filter((event) =>
      (event.kind === "call" || event.kind === "command") && event.status === "denied"
    ).length;
  // What the scenario's person denied is an answer that the scenario wants.
  const denied =
    trace.filter((event) => event.kind === "approval" && event.answer === "denied").length;
  if (end.kind !== "completed" || refused <= denied) return end;
  const detail = `The program's own rules refused ${refused - denied} of the agent's calls`;
  return { kind: "failed", detail };
}

function lastWords(events: readonly RunEvent[]): string {
  const last = events.findLast((event) => event.kind === "message" && event.role === "assistant");
  return last?.kind === "message" ? last.text : "";
}

function askedCall({ id, call, native, result }: AnsweredCall): AskedCall {
  return {
    id,
    tool: call.tool,
    args: call.args,
    native,
    told: result === null ? null : { status: result.status, text: result.text },
  };
}

/** What the output tells; a file with the last answer takes the place of output without a format. */
function toldBy({ record, response }: EndedProcess, stream: string): readonly BareEvent[] {
  if (stream !== "none" || response === null) return record.events;
  const others = record.events.filter(({ kind }) => kind !== "message");
  return [...others, { kind: "message", role: "assistant", text: response.trim() }];
}

function recordedCommand(
  { args, exitCode }: EndedProcess["ended"]["commands"][number],
  index: number,
  stream: string,
): BareEvent & { readonly kind: "command" } {
  const inner = innerCommand(["sh", ...args]);
  const command = stream === "claude" ? unpackedCommand(inner) : inner;
  const status = exitCode === null ? "unfinished" : exitCode === 0 ? "ok" : "error";
  const source = "shim" as const;
  return {
    kind: "command",
    id: `shim-${index}`,
    command,
    exitCode,
    exitCodeSource: source,
    status,
    source,
  };
}

/** A pattern that does not run counts: the judge says so. */
function isForbidden({ scenario: { expected } }: LoadedScenario, command: string): boolean {
  return (expected.forbidden ?? []).some((rule) => {
    if (typeof rule === "string" || !("command" in rule)) return false;
    const pattern = compileRe2(rule.command);
    return pattern.kind === "broken" || pattern.test(command);
  });
}

/** The folders of a run differ each time: words stand for them. */
function withoutPlaces(event: RunEvent, { work, home, tmp, root }: RunFolder): RunEvent {
  return mapTexts(event as Json, (text) => nameless(text, { work, home, tmp, root })) as RunEvent;
}

function nameless(
  text: string,
  { work, home, tmp, root }: Pick<RunFolder, "work" | "home" | "tmp" | "root">,
): string {
  const names = [[work, "<workspace>"], [home, "<home>"], [tmp, "<tmp>"], [root, "<run>"]] as const;
  return names.reduce((placed, [path, name]) => placed.replaceAll(path, name), text);
}

async function readFolder(episode: Episode, stage: Stage): Promise<string | null> {
  try {
    episode.world = await readInto(episode.world, stage.workspace);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
