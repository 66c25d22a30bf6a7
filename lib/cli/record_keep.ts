/**
 * Is this run worth keeping, and does the file that it would become play it again? In: a live run, its
 * verdict and its conversation. Out: the file, written, or why not. Before anything is written the text
 * is masked, read back as a load reads it, validated, and replayed: same verdict, same events.
 */
import { loadScenarios } from "../load/scenarios.ts";
import { equalJson, type Json } from "../model/json.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import type { RecordedTurn, Recording } from "../model/recording.ts";
import type { RunVerdict } from "../model/verdict.ts";
import { SHELL } from "../model/workspace_tools.ts";
import type { Masker } from "../report/mask.ts";
import type { NotKept, RecordOutcome, RunCost } from "../report/record.ts";
import { recordingDifference } from "../report/recording_diff.ts";
import { recordingYaml } from "../report/recording_yaml.ts";
import { recordingOf, type ToldConversation } from "../run/recorded_conversation.ts";
import { eventDifference } from "../run/same_events.ts";
import type { JudgedRun } from "./collect.ts";
import { judge } from "./pipeline.ts";
import { play } from "./play.ts";
import { BESIDE, PASS, type RecordOptions, type RecordTask } from "./record_plan.ts";
import { join, type Session } from "./session.ts";

/** A live run that ended. */
export interface MadeRun {
  readonly session: Session;
  readonly task: RecordTask;
  readonly options: RecordOptions;
  readonly judged: JudgedRun;
  /** Null where the model answered nothing. */
  readonly told: ToldConversation | null;
  readonly masker: Masker;
}

/** Keeps the run as a recording, or says why not. */
export async function keepRun(made: MadeRun): Promise<RecordOutcome> {
  const { task: { loaded }, judged: { verdict } } = made;
  const scenario = loaded.scenario.id;
  const cost: RunCost = { eur: verdict.usage.costEur, usd: verdict.usage.costUsd };
  const notKept = (why: NotKept): RecordOutcome => ({ scenario, kind: "not_kept", why, cost });
  const name = nameFor(made);
  if (name === null) return notKept({ kind: "verdict", verdict: verdict.verdict });
  const old = loaded.recordings.find((each) => each.name === name) ?? null;
  const file = `fixtures/recordings/${scenario}/${name}.yaml`;
  if (old !== null && old.recording.origin !== "recorded" && made.options.replace !== true) {
    return notKept({ kind: "handmade", file });
  }
  const recording = recordedAs(made);
  if (recording === null) return notKept({ kind: "silent" });
  const proved = await proveAny(made, { name, file, recording });
  if (proved.kind === "refused") return notKept(proved.why);
  if (!await writeAndRead(made.session, file, proved.text)) return notKept({ kind: "not_written" });
  const difference = old === null ? null : recordingDifference(old.recording, proved.recording);
  const failed = verdict.verdict === "failed";
  return {
    scenario,
    kind: "kept",
    file,
    failed,
    cost,
    difference,
    withoutDigests: proved.recording !== recording,
  };
}

/** `pass` where nothing by hand stands there, or that may be overwritten; null where it is not kept. */
function nameFor({ task: { loaded }, options, judged: { verdict } }: MadeRun): string | null {
  if (verdict.verdict === "failed") return options.keepFailed ?? null;
  if (verdict.verdict !== "passed") return null;
  const pass = loaded.recordings.find((each) => each.name === PASS);
  const free = pass === undefined || pass.recording.origin === "recorded";
  return free || options.replace === true ? PASS : BESIDE;
}

/** The run as a recording without secrets; null where there was no answer. */
function recordedAs(
  { session, task: { loaded, agent }, judged, told, masker }: MadeRun,
): Recording | null {
  const recording = told === null ? null : recordingOf(told, {
    model: judged.run.agent.model ?? agent.modelName ?? "unknown",
    at: session.io.clock.now(),
    agent: agent.name,
    tools: loaded.tools,
    mask: masker.mask,
  });
  if (recording === null) return null;
  const fails = judged.verdict.verdict === "failed" ? { fails: failedIds(judged.verdict) } : {};
  return masker.maskDeep({ ...recording, ...fails });
}

/** What fails a run: soft checkpoints do not. */
function failedIds({ conditions }: RunVerdict): string[] {
  const failed = conditions.filter(({ verdict, required }) => verdict === "failed" && required);
  return [...new Set(failed.map(({ id }) => id))];
}

interface Draft {
  readonly name: string;
  readonly file: string;
  readonly recording: Recording;
}

type Proved =
  | { readonly kind: "proved"; readonly text: string; readonly recording: Recording }
  | { readonly kind: "refused"; readonly why: NotKept };

/** What commands print may differ each time: where it does, it is not part of the recording. */
async function proveAny(made: MadeRun, draft: Draft): Promise<Proved> {
  const proved = await prove(made, draft);
  if (proved.kind === "proved" || proved.why.kind !== "other_verdict") return proved;
  const recording = withoutShellDigests(draft.recording);
  if (equalJson(recording as Json, draft.recording as Json)) return proved;
  const again = await prove(made, { ...draft, recording });
  return again.kind === "proved" ? again : proved;
}

function withoutShellDigests(recording: Recording): Recording {
  const turns = recording.turns.map((turn): RecordedTurn => {
    if (!("calls" in turn) || turn.calls === undefined) return turn;
    const calls = turn.calls.map(({ tool, args, digest }) => ({
      tool,
      args,
      ...(digest === undefined || tool === SHELL ? {} : { digest }),
    }));
    return { ...turn, calls };
  });
  return { ...recording, turns };
}

async function prove(made: MadeRun, { name, file, recording }: Draft): Promise<Proved> {
  const refused = (why: NotKept): Proved => ({ kind: "refused", why });
  const text = recordingYaml(recording);
  if (made.masker.mask(text) !== text) return refused({ kind: "secret" });
  const read = await readBack(made, { name, file, text });
  if (typeof read === "string") return refused({ kind: "unreadable", why: read });
  if (!equalJson(read.recording.recording as Json, recording as Json)) {
    return refused({ kind: "not_written" });
  }
  const why = await otherwise(made, read);
  return why === null ? { kind: "proved", text, recording } : refused(why);
}

interface ReadBack {
  readonly loaded: LoadedScenario;
  readonly recording: LoadedRecording;
}

/** The recording as a load of the project reads it, with the file as it would be; or what is wrong. */
async function readBack(
  { session: { io, project }, task: { loaded } }: MadeRun,
  { name, file, text }: { readonly name: string; readonly file: string; readonly text: string },
): Promise<ReadBack | string> {
  const files = withFile(io.files, { root: project.root, file, text });
  const { scenarios, problems } = await loadScenarios(files, project, {
    paths: [join(project.root, loaded.file)],
    only: [],
    recordings: [name],
  });
  const wrong = problems.find((each) => each.severity === "error");
  if (wrong !== undefined) return wrong.what;
  const [again] = scenarios;
  const recording = again?.recordings.find((each) => each.name === name);
  if (again === undefined || recording === undefined) return `${file} is not found`;
  return { loaded: again, recording };
}

/** The project's files, with one more or another one among them. */
function withFile(
  files: Files,
  { root, file, text }: { readonly root: string; readonly file: string; readonly text: string },
): Files {
  const path = join(root, file);
  const [folder, name] = [join(path, ".."), file.slice(file.lastIndexOf("/") + 1)];
  const bytes = new TextEncoder().encode(text);
  return {
    readText: async (asked) => asked === path ? text : await files.readText(asked),
    readBytes: async (asked) => asked === path ? bytes : await files.readBytes(asked),
    async *readLines(asked) {
      if (asked === path) yield* text.split("\n");
      else yield* files.readLines(asked);
    },
    stat: async (asked) =>
      asked === path ? { kind: "file", size: bytes.length } : await files.stat(asked),
    realPath: async (asked) =>
      asked === path ? join(await files.realPath(root), file) : await files.realPath(asked),
    list: async (asked) => {
      const there = await files.list(asked);
      if (asked !== folder || there.some((each) => each.name === name)) return there;
      return [...there, { name, kind: "file" as const }];
    },
    readSqlite: (asked) => files.readSqlite(asked),
    writeText: (asked, content) => files.writeText(asked, content),
    remove: (asked) => files.remove(asked),
  };
}

/** What the replay does otherwise than the run, null where nothing. */
async function otherwise(
  { session, task: { agent }, judged, masker }: MadeRun,
  { loaded, recording }: ReadBack,
): Promise<NotKept | null> {
  const run = await play({ session, loaded, agent, mode: "replay", recording, trial: 1 });
  const { config } = session.project;
  const { verdict } = await judge(loaded, run, { config, place: null });
  if (verdict.verdict !== judged.verdict.verdict) {
    const detail = run.ended.detail ?? failedIds(verdict).join(", ");
    return { kind: "other_verdict", verdict: verdict.verdict, detail };
  }
  const [live, replayed] = [failedIds(judged.verdict), failedIds(verdict)];
  if (live.join("\n") !== replayed.join("\n")) {
    return { kind: "other_conditions", ids: replayed };
  }
  const parted = eventDifference(
    masker.maskDeep(judged.run.events),
    masker.maskDeep(run.events),
  );
  if (parted === null) return null;
  const { index, first, second } = parted;
  return { kind: "other_events", index: index + 1, live: first, replayed: second };
}

/** Writes the file whole or not at all; where it then reads otherwise, what stood there stands again. */
async function writeAndRead(
  { io: { files }, project }: Session,
  file: string,
  text: string,
): Promise<boolean> {
  const path = join(project.root, file);
  const before = await files.stat(path) === null ? null : await files.readText(path);
  await files.writeText(path, text);
  if (await files.readText(path) === text) return true;
  if (before === null) await files.remove(path);
  else await files.writeText(path, before);
  return false;
}
