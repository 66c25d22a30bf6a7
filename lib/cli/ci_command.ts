/**
 * `ci --base REF`: may this branch be merged? Judges every commit since the base that touches what
 * triggers, each in its own tree and with its own message, then the whole suite of the last one.
 * Writes what build servers read. 1 where something stops, 2 where the last files are bad, 3 where it
 * cannot be decided: a history that was fetched in part shows neither the base nor every override.
 */
import { EXIT } from "../model/exit.ts";
import type { Report } from "../model/report.ts";
import { type CiFound, mergeWords, renderComment } from "../report/ci_comment.ts";
import {
  commitSentence,
  renderAnnotations,
  renderCodeQuality,
  renderCommitsJunit,
  stopsMerge,
} from "../report/ci_commits.ts";
import { verdictText } from "../report/loosened.ts";
import { VERDICT_WORDS } from "../report/words.ts";
import { ciWordsOf } from "../report/words_ci.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { judgeCommits, type Range } from "./ci_commits.ts";
import { type Head, judgeHead } from "./ci_head.ts";
import { emptyTree, type Repository, repositoryAt } from "./hook_call.ts";
import { writeReport } from "./report_files.ts";
import { isShallow, mergeBase, objectOf, readCommits } from "./repository.ts";
import { fromRoot, join, openSession, refuse, type Session } from "./session.ts";

/** The options of `ci`, as commander gives them. */
export interface CiOptions {
  readonly base: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** Runs the command; resolves to its exit code. */
export async function ciCommand(io: Session["io"], options: CiOptions): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const repository = await repositoryAt(io, session.project.root);
  if (repository === null) {
    return refuse(io, "This folder is in no git repository", "run ci in a clone of it");
  }
  const range = await findRange(session, repository, options.base);
  if (typeof range === "number") return range;
  const { commits, untouched, overrides } = await judgeCommits(session, range);
  const head = await judgeHead(session, range, overrides);
  if (io.interrupted.aborted) return EXIT.interrupted;
  const judged = commits.map((commit) =>
    commit.state === "expired" && !commit.scenarios.some((id) => head.failing.includes(id))
      ? { ...commit, state: "overridden" as const }
      : commit
  );
  const exitCode = exitOf(head.code, judged.some(stopsMerge));
  const found: CiFound = {
    report: head.report,
    lines: head.lines,
    commits: judged,
    untouched,
    exitCode,
  };
  await writeAll(session, repository, { found, head, out: options.out ?? "reports/ci" });
  tellAll(session, repository, found, options);
  return exitCode;
}

/** Bad files at the end, then what stops, then what nobody could decide. */
function exitOf(head: number, stops: boolean): number {
  if (head === EXIT.usage) return EXIT.usage;
  return stops ? EXIT.block : head;
}

const DEEPER = "fetch-depth: 0 (GitHub, Forgejo), GIT_DEPTH: 0 (GitLab), or git fetch --unshallow";

async function findRange(
  session: Session,
  repository: Repository,
  wanted: string,
): Promise<Range | number> {
  const { io, project } = session;
  const here = { git: io.git, folder: project.root };
  const shallow = await isShallow(here);
  // A branch's first push has no commit before it: all of its history is judged.
  const none = /^0{40,}$/.test(wanted);
  const base = none
    ? await emptyTree(io, repository)
    : await objectOf(here, wanted) ?? await objectOf(here, `origin/${wanted}`);
  const head = await objectOf(here, "HEAD");
  if (head === null) return refuse(io, "Nothing was committed yet", "commit first");
  if (base === null && !shallow) {
    return refuse(io, `No commit is called "${wanted}" here`, `git fetch origin ${wanted}`);
  }
  const fork = base === null || none ? null : await mergeBase(here, base, head);
  const commits = base === null ? null : await readCommits(here, [
    "--topo-order",
    "--reverse",
    ...(none ? [head] : [`${base}..${head}`]),
    "--",
  ]);
  const cut = await cutOff(session, repository);
  const whole = commits !== null && !commits.some(({ sha }) => cut.has(sha));
  if (shallow && ((fork === null && !none) || !whole)) {
    io.terminal.err(
      `error: The history was fetched in part: from "${wanted}" to the last commit it is not all here\n` +
        `  fix: fetch all of it: ${DEEPER}\n`,
    );
    return EXIT.undecided;
  }
  if (base === null || commits === null) {
    io.terminal.err("error: git could not list the commits\n  fix: see `git log`\n");
    return EXIT.undecided;
  }
  const ref = /^[0-9a-f]{40,}$/.test(wanted) ? wanted.slice(0, 12) : wanted;
  return { repository, base, against: none ? null : { ref, sha: base }, fork, head, commits };
}

/** Commits whose parents were not fetched. */
async function cutOff({ io }: Session, { common }: Repository): Promise<Set<string>> {
  const path = `${common}/shallow`;
  if (await io.files.stat(path) === null) return new Set();
  return new Set((await io.files.readText(path)).split("\n"));
}

async function writeAll(
  session: Session,
  { prefix }: Repository,
  { found, head, out }: {
    readonly found: CiFound;
    readonly head: Head;
    readonly out: string;
  },
): Promise<void> {
  const { io, project, masker } = session;
  const { locale, zone } = project.config;
  const folder = join(io.cwd, out);
  const write = (name: string, text: string) =>
    io.files.writeText(`${folder}/${name}`, masker.mask(text));
  if (head.report !== null) await writeReport(session, folder, head.report);
  await write("commits.xml", renderCommitsJunit(found.commits));
  await write("code-quality.json", renderCodeQuality(head.report, found.commits, prefix));
  await write("comment.md", renderComment(found, { locale, zone }));
}

function tellAll(
  session: Session,
  { prefix }: Repository,
  found: CiFound,
  options: CiOptions,
): void {
  const { io, project, masker } = session;
  const words = ciWordsOf(project.config.locale);
  const out = fromRoot(project.root, join(io.cwd, options.out ?? "reports/ci"));
  if (options.json === true) {
    const { report, commits, untouched, exitCode } = found;
    const decision = report?.decision ?? null;
    const value = { schema: "collaudo/ci@1", exitCode, decision, untouched, commits };
    io.terminal.out(`${JSON.stringify(masker.maskDeep(value), null, 1)}\n`);
  } else if (io.env("GITHUB_ACTIONS") === "true") {
    io.terminal.out(masker.mask(renderAnnotations(found.report, found.commits, prefix)));
  }
  const tell = options.json === true ? io.terminal.err : io.terminal.out;
  const loosened = found.report?.gateLoosened?.length ?? 0;
  const lines = [
    ...(loosened === 0
      ? []
      : [hookWordsOf(project.config.locale).loosened(loosened, options.base)]),
    ...found.commits.filter(({ state }) => state !== "open").map((commit) =>
      `${stopsMerge(commit) ? "✗" : "✓"} ${commitSentence(commit)}`
    ),
    ...found.lines,
    words.openCommits(
      found.commits.filter(({ state }) => state === "open").length,
      found.commits.length,
    ),
    ...(found.untouched === 0 ? [] : [words.untouched(found.untouched)]),
    `${verdictOf(found.report)}  ${mergeWords(found, words)}`,
    `${out}/comment.md`,
  ];
  tell(masker.mask(`${lines.join("\n")}\n`));
}

function verdictOf(report: Report | null): string {
  if (report === null) return "ERROR";
  const { overridden } = report.decision;
  return overridden === undefined
    ? VERDICT_WORDS[report.decision.verdict]
    : verdictText(report.decision);
}
