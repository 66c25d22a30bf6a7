/**
 * Was this tree judged already? Verdicts lie in git's shared folder, by tree, by what the tree was
 * compared with, and by the version of this program; each also names what it asked of git (the base
 * branch's gate), and holds only while that answer is the same. Light, and never the work tree.
 */
import { createHash } from "node:crypto";
import { addDays } from "../model/day.ts";
import type { Decision } from "../model/gate.ts";
import type { Io } from "../model/ports.ts";
import { askIn, homeOf, type Repository, type TreeCall } from "./hook_call.ts";
import { VERSION } from "./version.ts";

/** What is known about one tree. */
export interface TreeVerdict {
  readonly schema: "collaudo/tree@1";
  readonly locale: "en" | "it";
  readonly zone: string;
  /** Before any override; null where nothing ran. */
  readonly decision: Decision | null;
  /** 0 may be committed, 1 blocked, 2 bad files, 3 undecided. */
  readonly code: 0 | 1 | 2 | 3;
  /** What stands in the terminal, each at most 80 columns: what broke, how it is seen again. */
  readonly lines: readonly string[];
  /** Scenarios that the change itself concerns. */
  readonly touched: readonly string[];
  readonly judged: number;
  readonly of: number;
  readonly leftOut: readonly string[];
  readonly ms: number;
  /** Folder of the report, null where none was kept. */
  readonly report: string | null;
  /** What git answered while judging; another answer now makes the verdict void. */
  readonly asked: readonly { readonly args: readonly string[]; readonly answer: string | null }[];
}

/** Reports of trees that did not pass are kept so many days. */
const REPORT_DAYS = 7;

/** Where the verdict of a tree lies; its name ends with the day, as overrides run out. */
export async function verdictPath(io: Io, call: TreeCall): Promise<string> {
  const base = await askIn(io, call.repository, ["rev-parse", "--verify", `${call.base}^{tree}`]);
  const day = io.clock.now().slice(0, 10);
  const parts = [
    VERSION,
    base,
    call.all,
    call.budget,
    call.repository.prefix,
    call.triggers ?? [],
    call.against?.sha ?? null,
  ];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  return `${homeOf(call.repository)}/verdicts/${call.tree}-${key}-${day}.json`;
}

/** The verdict at a path that still holds; null where there is none. */
export async function readVerdict(
  io: Io,
  repository: Repository,
  path: string,
): Promise<TreeVerdict | null> {
  if (await io.files.stat(path) === null) return null;
  const verdict = parseVerdict(await io.files.readText(path).catch(() => ""));
  if (verdict === null) return null;
  for (const { args, answer } of verdict.asked) {
    if (await askIn(io, repository, args) !== answer) return null;
  }
  return verdict;
}

function parseVerdict(text: string): TreeVerdict | null {
  try {
    const value = JSON.parse(text);
    return value?.schema === "collaudo/tree@1" && [0, 1, 2, 3].includes(value.code) ? value : null;
  } catch {
    return null;
  }
}

/** Keeps a verdict, and lets go those of other days, which hold no longer, with old reports. */
export async function writeVerdict(io: Io, path: string, verdict: TreeVerdict): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/"));
  const today = io.clock.now().slice(0, 10);
  await removeBefore(io, folder, today);
  const reports = folder.replace(/verdicts$/, "reports");
  await removeBefore(io, reports, addDays(today, -REPORT_DAYS));
  await io.files.writeText(path, `${JSON.stringify(verdict)}\n`);
}

/** Removes what was made before a day, and what has no day in its name. */
async function removeBefore(io: Io, folder: string, day: string): Promise<void> {
  for (const { name } of await io.files.list(folder)) {
    const [made = ""] = /\d{4}-\d{2}-\d{2}/.exec(name.slice(-24)) ?? [];
    if (made < day) await io.files.remove(`${folder}/${name}`);
  }
}
