/**
 * May this tree be committed? Lays its project out, chooses the scenarios that the change can
 * concern and those of `risk: critical`, replays and judges them within the time limit, and states
 * the verdict. A tree without a project has nothing to judge; one whose files are bad is `code` 2.
 */
import { EXIT } from "../model/exit.ts";
import { stricterConfig } from "../gate/config_diff.ts";
import { judgeStale } from "../gate/stale.ts";
import { readConfigText } from "../load/history.ts";
import { scopeOf } from "../load/scope.ts";
import type { Decision } from "../model/gate.ts";
import type { Io } from "../model/ports.ts";
import type { Report } from "../model/report.ts";
import { folded, narrow, problemLines, renderHookLines, shortList } from "../report/hook_lines.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { gateProblems } from "./gate_versions.ts";
import { judgeGone } from "./gone_project.ts";
import { gitIn, homeOf, type TreeCall } from "./hook_call.ts";
import { type LaidTree, layTree } from "./laid_tree.ts";
import { runLiveAgain } from "./live_again.ts";
import { writeReport } from "./report_files.ts";
import { openSession, printProblems, type Session } from "./session.ts";
import { type Plan, planRuns, type RunOptions, runPlan, type SuiteRun } from "./suite.ts";
import type { TreeVerdict } from "./tree_cache.ts";
import { changedNames, triggersAmong } from "./triggers.ts";

/** A verdict with the report that it rests on; null where nothing ran. */
export interface JudgedTree {
  readonly verdict: TreeVerdict;
  readonly report: Report | null;
}

const NOTHING: TreeVerdict = {
  schema: "collaudo/tree@1",
  locale: "en",
  zone: "UTC",
  decision: null,
  code: 0,
  lines: [],
  touched: [],
  judged: 0,
  of: 0,
  leftOut: [],
  ms: 0,
  report: null,
  asked: [],
};

/** Judges a tree; `name` is that of the report's folder, should one be kept. */
export async function judgeTree(
  io: Io,
  call: TreeCall & { readonly commit: string | null; readonly name: string },
): Promise<JudgedTree> {
  const started = io.clock.monotonicMs();
  const laid = await layTree(io, call.repository, call);
  if (laid === null) return { verdict: await judgeGone(io, call, NOTHING), report: null };
  try {
    const judged = await judgeLaid(io, laid, { ...call, started });
    const ms = Math.round(io.clock.monotonicMs() - started);
    return { ...judged, verdict: { ...judged.verdict, ms } };
  } finally {
    await laid.remove();
  }
}

type LaidCall = TreeCall & {
  readonly name: string;
  readonly commit: string | null;
  readonly started: number;
};

async function judgeLaid(io: Io, laid: LaidTree, call: LaidCall): Promise<JudgedTree> {
  const said: string[] = [];
  const asked = new Map<string, string | null>();
  const inside: Io = {
    ...io,
    cwd: laid.root,
    files: laid.files,
    // A tree is judged where it lies, and commits start no programs of the tree.
    children: { ...io.children, mayStart: () => false },
    git: {
      ...laid.git,
      ask: async (folder, args) => {
        const answer = await laid.git.ask(folder, args);
        asked.set(JSON.stringify(args), answer);
        return answer;
      },
    },
    terminal: {
      out: (text) => said.push(text),
      err: (text) => said.push(text),
      outIsTerminal: false,
      errIsTerminal: false,
    },
  };
  const bad = (locale: "en" | "it"): JudgedTree => ({
    verdict: { ...NOTHING, locale, code: EXIT.usage, lines: problemLines(said.join(""), 8) },
    report: null,
  });
  const opened = await openSession(inside);
  if (typeof opened === "number") return bad("en");
  const { tree, against } = call;
  const given = { ...opened, tree, ...(against === undefined ? {} : { base: against }) };
  const names = await changedNames(io, call);
  const session = await withStricterConfig(given, call, names);
  const { config } = session.project;
  const scope = await chooseScope(session, call, names);
  if (scope === null) return { verdict: { ...NOTHING, locale: config.locale }, report: null };
  const options: RunOptions = {
    mode: "replay",
    trials: 1,
    jobs: 1,
    write: false,
    sound: call.budget ? scope.sound : () => false,
    only: [],
    insisted: (id) => scope.touched.includes(id),
    note: [`tree=${call.tree}`],
    out: `${homeOf(call.repository)}/reports/${call.name}`,
    ...(call.budget ? { deadlineMs: call.started + config.hook.budget_s * 1000 } : {}),
  };
  await io.files.remove(options.out ?? "");
  // The last commit of a branch: what `validate` says of gates that changed in silence holds here too.
  const silent = call.all && !call.budget ? await gateProblems(session, null) : [];
  if (await printProblems(inside, silent, session.project.root) > 0) return bad(config.locale);
  const judging = call.all && !call.budget ? session : withFormer(session, call, scope);
  const ended = await runScope(judging, scope.paths, options);
  if (typeof ended === "number") return bad(config.locale);
  const played = await runLiveAgain(judging, ended, options);
  const report = { ...played, decision: await staleDecision(session, played, { call, scope }) };
  const passes = report.decision.verdict === "pass";
  const kept = passes && call.budget ? report : session.masker.maskDeep(report);
  if (!passes) await writeReport(session, ended.folder, kept);
  const folder = passes ? null : ended.folder;
  const verdict = verdictOf(session, kept, { ...scope, folder, unplayable: ended.unplayable });
  const ofBase = [...asked].filter(([args]) => args.includes(`/${config.base}^{commit}`));
  return {
    verdict: {
      ...verdict,
      asked: ofBase.map(([args, answer]) => ({
        args: JSON.parse(args),
        answer: answer?.trim() ?? null,
      })),
    },
    report: kept,
  };
}

/** The session as the configuration before the change would have it too, where that is another. */
async function withStricterConfig(
  session: Session,
  call: TreeCall,
  changed: readonly string[],
): Promise<Session> {
  const { io, project } = session;
  const file = `${call.repository.prefix}collaudo.yaml`;
  if (!changed.includes(file)) return session;
  const at = (tree: string) => gitIn(io, call.repository, ["cat-file", "blob", `${tree}:${file}`]);
  const before = await at(call.base);
  const config = before.code === 0 ? readConfigText(before.out) : null;
  if (config === null) return session;
  return { ...session, project: { ...project, config: stricterConfig(project.config, config) } };
}

/** A baseline that moves in the commit that it lets pass does not count alone: the one before it judges too. */
function withFormer(session: Session, { base }: TreeCall, { changed }: ChosenScope): Session {
  const moves = (file: string | null) => file?.startsWith("reports/baselines/") === true;
  const together = changed.some(moves) && !changed.every(moves);
  return together ? { ...session, former: base } : session;
}

/**
 * Runs what was chosen; the whole suite where that gives a rule nothing to judge, as a new scenario
 * that does not block yet does: what a rule lacks must lack in the suite, not in a choice of it.
 */
async function runScope(
  session: Session,
  paths: readonly string[],
  options: RunOptions,
): Promise<(SuiteRun & Pick<Plan, "unplayable">) | number> {
  const plan = await planRuns(session, paths, options);
  if (typeof plan === "number") return plan;
  const run = await runPlan(plan, () => {});
  if (typeof run === "number") return run;
  const ended = { ...run, unplayable: plan.unplayable };
  if (paths.length === 0) return ended;
  if (!run.report.decision.reasons.some(({ kind }) => kind === "rule_missing")) return ended;
  const { sound = () => false } = options;
  const chosen = (file: string) => paths.includes(file) || !file.startsWith("scenarios/");
  const unchosen = options.deadlineMs === undefined ? () => false : (file: string) => !chosen(file);
  await session.io.files.remove(ended.folder);
  return await runScope(session, [], {
    ...options,
    sound: (file) => sound(file) || unchosen(file),
  });
}

/** The decision with what became of recordings. */
async function staleDecision(
  session: Session,
  { scenarios, decision }: Report,
  { call, scope }: { readonly call: TreeCall; readonly scope: ChosenScope },
): Promise<Decision> {
  const stale = scenarios.filter(({ verdict, lifecycle }) =>
    verdict === "stale" && lifecycle === "stable"
  );
  const suspects = stale.filter(({ id, file }) =>
    scope.changed.some((path) =>
      path === file || path?.startsWith(`fixtures/recordings/${id}/`) === true
    )
  );
  // A scenario that is new has lost nothing yet.
  const known = suspects.length === 0
    ? []
    : await namesIn(session.io, call, suspects.map(({ file }) => file));
  const lost = suspects.filter(({ file }) => known.includes(file)).map(({ id }) => id).sort();
  return judgeStale(decision, {
    lost,
    blocks: session.project.config.hook.on_stale === "block",
  });
}

/** Those of these files of the project that were there before the change. */
async function namesIn(
  io: Io,
  { repository, base }: TreeCall,
  files: readonly string[],
): Promise<string[]> {
  const { prefix } = repository;
  const paths = files.map((file) => `${prefix}${file}`);
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", base, "--", ...paths];
  const { code, out } = await gitIn(io, repository, args);
  if (code !== 0) return [...files];
  return out.split("\0").filter((path) => path !== "").map((path) => path.slice(prefix.length));
}

interface ChosenScope {
  /** Empty: the whole suite. */
  readonly paths: readonly string[];
  readonly touched: readonly string[];
  /** What triggered: relative to the project, null for a file elsewhere. */
  readonly changed: readonly (string | null)[];
  /** True for files in which this change can have broken nothing. */
  readonly sound: (file: string) => boolean;
  readonly of: number;
}

/** Null where nothing that triggers was changed. */
async function chooseScope(
  session: Session,
  call: TreeCall,
  names: readonly string[],
): Promise<ChosenScope | null> {
  const { io, project } = session;
  const changed = triggersAmong(names, call, project.config.triggers);
  if (changed.length === 0 && !call.all) return null;
  const scope = await scopeOf(io.files, project, call.all ? [null] : changed);
  const chosen = [...scope.touched, ...scope.critical];
  const whole = call.all || chosen.length === scope.of;
  return {
    paths: whole ? [] : chosen,
    touched: scope.touched.map(idOf),
    changed,
    sound: (file) =>
      file.startsWith("scenarios/") ? scope.critical.includes(file) : !changed.includes(file),
    of: scope.of,
  };
}

function idOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.yaml$/, "");
}

function verdictOf(
  session: Session,
  report: Report,
  { touched, of, folder, unplayable }: Pick<ChosenScope, "touched" | "of"> & {
    readonly folder: string | null;
    readonly unplayable: ReadonlySet<string>;
  },
): TreeVerdict {
  const { config } = session.project;
  const view = { locale: config.locale, zone: config.zone };
  const words = hookWordsOf(config.locale);
  const ids = (verdict: string) =>
    report.scenarios.filter((one) => one.lifecycle === "stable" && one.verdict === verdict)
      .map(({ id }) => id);
  const [skipped, stale] = [ids("skipped"), ids("stale")];
  const notHere = skipped.filter((id) => unplayable.has(id));
  const leftOut = skipped.filter((id) => !unplayable.has(id));
  const decision = bare(report.decision);
  const loosened = report.gateLoosened?.length ?? 0;
  return {
    ...NOTHING,
    locale: config.locale,
    zone: config.zone,
    decision,
    code: codeOf(decision),
    lines: [
      ...renderHookLines(report, view),
      ...(decision.verdict !== "pass" && report.limits.includes("baseline_moved")
        ? folded(`  ${words.baselineMoved}`)
        : []),
      ...(loosened === 0 ? [] : [narrow(words.loosened(loosened, config.base))]),
      ...(stale.length === 0 ? [] : [narrow(words.stale(shortList(stale, view)))]),
      ...(notHere.length === 0 ? [] : [narrow(words.notHere(shortList(notHere, view)))]),
      ...(leftOut.length === 0
        ? []
        : [narrow(words.leftOut(config.hook.budget_s, shortList(leftOut, view)))]),
    ],
    touched,
    judged: report.scenarios.length - skipped.length,
    of,
    leftOut: skipped,
    report: folder,
  };
}

/** What the gate says, before any override. */
function bare({ overridden: _, ...decision }: Decision): Decision {
  return decision;
}

function codeOf({ verdict }: Decision): 0 | 1 | 3 {
  if (verdict === "block") return EXIT.block;
  return verdict === "error" ? EXIT.undecided : EXIT.ok;
}
