/**
 * How is a job started? The same program with the job's words, with the permissions of the task that
 * fits them: the network only for live runs and recordings, for messages the hosts of the channels
 * alone, and other programs only where one of the channels is a program. A job that runs scenarios
 * waits for the project's lock and gets a folder for its report, so that the report is known.
 */
import { channelNeeds } from "./channel_needs.ts";
import { repositoryAt } from "./hook_call.ts";
import type { Job } from "./job_store.ts";
import { join, type Session } from "./session.ts";

/** A job as it is started. */
export interface JobChild {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder of its report, absolute; null where it makes none. */
  readonly folder: string | null;
}

const LOOPBACK = "--allow-net=127.0.0.1,[::1],localhost";

/** Commands that reach beyond this machine; any other does with `--mode live` alone. */
const LIVE: ReadonlySet<string> = new Set(["record"]);

/** Commands that take the project's lock and make a report. */
const REPORTING: ReadonlySet<string> = new Set(["run", "grade"]);

/** Commands that take the project's lock. */
const WAITING: ReadonlySet<string> = new Set([...REPORTING, "record"]);

/** The job as it is started at a time. */
export async function jobChild(session: Session, job: Job, started: string): Promise<JobChild> {
  const folder = await folderOf(session, job, started);
  const words = [...job.command];
  if (WAITING.has(words[0] ?? "") && !words.includes("--wait")) words.push("--wait");
  if (folder !== null && optionOf(words, "--out") === null) words.push("--out", folder);
  return { ...await childOf(session, words, needsOf(session, words)), folder };
}

/** A command that only tells something, as it is started: nothing beyond this machine is reached. */
export async function questionChild(
  session: Session,
  words: readonly string[],
): Promise<Omit<JobChild, "folder">> {
  return await childOf(session, words, LOCAL);
}

/** The program with words, and with what they need. */
async function childOf(
  session: Session,
  words: readonly string[],
  needs: Needs,
): Promise<Omit<JobChild, "folder">> {
  const { io, project } = session;
  const { deno, program } = io.started();
  const flags = await startFlags(session, needs);
  return {
    program: deno,
    args: ["run", ...flags, program, ...words],
    env: {
      COLLAUDO_SCHEDULED: "1",
      INIT_CWD: project.root,
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      ...(isPackaged(io) ? { DENO_NO_PACKAGE_JSON: "1" } : {}),
    },
  };
}

/** What a command needs besides the project's folder. */
export interface Needs {
  /** What it may reach: this machine, besides it some hosts, or any. */
  readonly net: "loopback" | "any" | readonly string[];
  /** Which programs it may start. */
  readonly programs: "git" | "any";
}

/** What a command needs that judges on this machine. */
export const LOCAL: Needs = { net: "loopback", programs: "git" };

function needsOf(session: Session, words: readonly string[]): Needs {
  if (words[0] === "notify") {
    const { hosts, programs } = channelNeeds(session);
    return { net: hosts ?? "any", programs: programs ? "any" : "git" };
  }
  return { ...LOCAL, net: isLive(words) ? "any" : "loopback" };
}

function netFlag(net: Needs["net"]): string {
  if (net === "any") return "--allow-net";
  return net === "loopback" ? LOOPBACK : [LOOPBACK, ...net].join(",");
}

/** What Deno is told in the project's folder, before the program: nothing beyond the task that fits. */
export async function startFlags(session: Session, needs: Needs): Promise<string[]> {
  const { io, project } = session;
  const repository = await repositoryAt(io, project.root);
  const writable = [".", ...(repository === null ? [] : [repository.top, repository.common])];
  const alone = isPackaged(io) ? ["--no-config", "--no-lock", "--no-remote"] : [];
  // Deno's lists know no way to write a comma.
  const listed = writable.every((path) => !path.includes(","));
  return [
    "--no-prompt",
    "--cached-only",
    ...alone,
    "--allow-read",
    listed ? `--allow-write=${writable.join(",")}` : "--allow-write",
    "--allow-env",
    needs.programs === "any" ? "--allow-run" : "--allow-run=git",
    netFlag(needs.net),
  ];
}

/** True for the npm package, whose launcher names itself. */
export function isPackaged(io: Pick<Session["io"], "env">): boolean {
  return (io.env("COLLAUDO_PROGRAM") ?? "") !== "";
}

function isLive(words: readonly string[]): boolean {
  return LIVE.has(words[0] ?? "") || optionOf(words, "--mode") === "live";
}

/** The value of an option that takes one, null where it is not given; the last one counts. */
export function optionOf(words: readonly string[], name: string): string | null {
  const at = words.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at === -1) return null;
  const word = words[at] ?? "";
  return word === name ? words[at + 1] ?? null : word.slice(name.length + 1);
}

/** The report's folder: the job's own `--out`, or a new one named by time and job. */
async function folderOf(
  { io, project }: Session,
  { name, command }: Job,
  started: string,
): Promise<string | null> {
  if (!REPORTING.has(command[0] ?? "")) return null;
  const own = optionOf(command, "--out");
  if (own !== null) return join(project.root, own);
  const stamp = started.replace(/\.\d+/, "").replaceAll(":", "-");
  const base = join(project.root, `reports/runs/${stamp}-${name}`);
  for (let n = 1;; n++) {
    const folder = n === 1 ? base : `${base}-${n}`;
    if ((await io.files.list(folder)).length === 0) return folder;
  }
}
