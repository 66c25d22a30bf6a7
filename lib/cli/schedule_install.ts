/**
 * `schedule install|uninstall`: does the system start what is due? Writes a user unit of systemd and
 * its timer, or, where systemd does not answer, lines into the crontab; says what it wrote. Never
 * touches a unit or a line that it did not write.
 */
import { readCron } from "../load/cron_text.ts";
import { EXIT } from "../model/exit.ts";
import { hashText } from "../model/hash.ts";
import type { Io } from "../model/ports.ts";
import { type ScheduleWords, scheduleWordsOf } from "../report/words_schedule.ts";
import { isPackaged, LOCAL, startFlags } from "./job_child.ts";
import { keepJob, openJob } from "./job_store.ts";
import { taskCall } from "./reproduce.ts";
import { openSchedule } from "./schedule_command.ts";
import {
  isOwnUnit,
  type Timed,
  timerText,
  unitText,
  withBlock,
  withoutBlock,
} from "./schedule_unit.ts";
import { openSession, refuse, type Session } from "./session.ts";

interface Here {
  readonly session: Session;
  readonly words: ScheduleWords;
  readonly slug: string;
  /** The folder of the user's configuration. */
  readonly home: string;
  /** Paths of the unit and its timer. */
  readonly unit: string;
  readonly timer: string;
}

function hereOf(session: Session): Here | number {
  const { io, project } = session;
  const own = io.env("XDG_CONFIG_HOME") ?? "";
  const user = io.env("HOME") ?? "";
  const home = own.startsWith("/") ? own : `${user}/.config`;
  if (!home.startsWith("/") || user === "") {
    return refuse(io, "HOME is not set: there is no place for timers", "set HOME");
  }
  if (/[\n\r\0]/.test(project.root)) {
    return refuse(io, "The project's path has a line break", "give its folder another name");
  }
  const name = project.root.slice(project.root.lastIndexOf("/") + 1).toLowerCase()
    .replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40);
  const slug = `collaudo-${name === "" ? "" : `${name}-`}${hashText(project.root).slice(7, 15)}`;
  const folder = `${home}/systemd/user`;
  return {
    session,
    words: scheduleWordsOf(project.config.locale),
    slug,
    home,
    unit: `${folder}/${slug}.service`,
    timer: `${folder}/${slug}.timer`,
  };
}

/** Runs `schedule install`; exit code 2 where something stands in the way. */
export async function scheduleInstall(io: Io): Promise<number> {
  const session = await openSchedule(io);
  if (typeof session === "number") return session;
  if (!io.children.mayStart()) return notHere(io);
  const here = hereOf(session);
  if (typeof here === "number") return here;
  // What is due from now on counts, also where the machine is off at its first time.
  for (const job of session.project.config.schedule.jobs) {
    await keepJob(session, await openJob(session, job));
  }
  const timed = await timedOf(here);
  const installed = await hasSystemd(io)
    ? await installUnits(here, timed)
    : await installLines(here, timed);
  if (installed !== EXIT.ok) return installed;
  io.terminal.out(`${here.words.keys(timed.environment, variablesOf(session).join(", "))}\n`);
  return EXIT.ok;
}

/** Runs `schedule uninstall`. */
export async function scheduleUninstall(io: Io): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  if (!io.children.mayStart()) return notHere(io);
  const here = hereOf(session);
  if (typeof here === "number") return here;
  const units = await removeUnits(here);
  const lines = units === EXIT.usage ? units : await removeLines(here);
  if (lines === EXIT.usage) return EXIT.usage;
  if (units === null && lines === null) io.terminal.out(`${here.words.nothing}\n`);
  return EXIT.ok;
}

function notHere(io: Io): number {
  const schedule = taskCall(io, "schedule");
  return refuse(io, "This task may not start systemctl or crontab", `use \`${schedule}\``);
}

async function timedOf({ session, slug, home }: Here): Promise<Timed> {
  const { io, project } = session;
  const { deno, program } = io.started();
  // All programs: ending a job with everything that it started needs no less.
  const flags = (await startFlags(session, LOCAL)).map((flag) =>
    flag.startsWith("--allow-run") ? "--allow-run" : flag
  );
  return {
    slug,
    root: project.root,
    environment: `${home}/collaudo/${slug}.env`,
    variables: {
      DENO_NO_UPDATE_CHECK: "1",
      ...(isPackaged(io)
        ? { COLLAUDO_PROGRAM: io.env("COLLAUDO_PROGRAM") ?? "", DENO_NO_PACKAGE_JSON: "1" }
        : {}),
    },
    argv: [deno, "run", ...flags, program, "schedule", "--once"],
  };
}

/** The environment variables that the configuration names. */
function variablesOf({ project }: Session): string[] {
  const text = JSON.stringify([
    project.config.models,
    project.config.notify,
    project.config.agents,
  ]);
  return [...new Set([...text.matchAll(/\{"env":"(\w+)"\}/g)].map((found) => found[1] ?? ""))]
    .sort();
}

async function hasSystemd(io: Io): Promise<boolean> {
  return (await io.children.ask("systemctl", ["--user", "show-environment"])).code === 0;
}

async function installUnits(
  { session, words, slug, unit, timer }: Here,
  timed: Timed,
): Promise<number> {
  const { io, project } = session;
  const foreign = await firstForeign(io, [unit, timer]);
  if (foreign !== null) return refuseForeign(io, foreign);
  const { zone, schedule } = project.config;
  const jobs = schedule.jobs.flatMap((job) => {
    const read = readCron(job.cron);
    return read.kind === "cron" ? [read.fields] : [];
  });
  await io.files.writeText(unit, unitText(timed));
  await io.files.writeText(timer, timerText(timed, { jobs, zone }));
  for (const args of [["daemon-reload"], ["enable", "--now", `${slug}.timer`]]) {
    const { code, err } = await io.children.ask("systemctl", ["--user", ...args]);
    if (code !== 0) return failed(io, `systemctl --user ${args.join(" ")}`, err);
  }
  io.terminal.out(`${words.written}: ${unit}\n${words.written}: ${timer}\n`);
  const user = io.env("USER") ?? io.env("LOGNAME") ?? "";
  const lingers = user !== "" && await io.files.stat(`/var/lib/systemd/linger/${user}`) !== null;
  if (!lingers) io.terminal.out(`${words.linger(user === "" ? "$USER" : user)}\n`);
  return EXIT.ok;
}

async function firstForeign(io: Io, paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const stat = await io.files.stat(path);
    if (stat === null) continue;
    if (stat.kind !== "file" || !isOwnUnit(await io.files.readText(path))) return path;
  }
  return null;
}

function refuseForeign(io: Io, path: string): number {
  return refuse(io, `"${path}" was not written by \`schedule install\``, "move it away first");
}

function failed(io: Io, command: string, err: string): number {
  io.terminal.err(`error: \`${command}\` failed: ${err.trim() || "no answer"}\n`);
  return EXIT.undecided;
}

/** Null where there are none. */
async function removeUnits({ session, words, slug, unit, timer }: Here): Promise<number | null> {
  const { io } = session;
  const foreign = await firstForeign(io, [unit, timer]);
  if (foreign !== null) return refuseForeign(io, foreign);
  const present: string[] = [];
  for (const path of [timer, unit]) if (await io.files.stat(path) !== null) present.push(path);
  if (present.length === 0) return null;
  await io.children.ask("systemctl", ["--user", "disable", "--now", `${slug}.timer`]);
  for (const path of present) await io.files.remove(path);
  await io.children.ask("systemctl", ["--user", "daemon-reload"]);
  for (const path of present) io.terminal.out(`${words.removed}: ${path}\n`);
  return EXIT.ok;
}

/** The crontab, empty where the user has none; null where it cannot be read. */
async function readCrontab(io: Io): Promise<string | null> {
  const { code, out, err } = await io.children.ask("crontab", ["-l"]);
  if (code === 0) return out;
  return code === 1 && /no crontab for/i.test(err) ? "" : null;
}

async function installLines({ session, words, slug }: Here, timed: Timed): Promise<number> {
  const { io } = session;
  const before = await readCrontab(io);
  if (before === null) {
    return refuse(
      io,
      "Neither `systemctl --user` nor `crontab -l` answers",
      `install cron or systemd, or keep \`${taskCall(io, "schedule")}\` running`,
    );
  }
  const after = withBlock(before, timed);
  if (after === null) return refuseHalf(io, slug);
  const { code, err } = await io.children.ask("crontab", ["-"], after);
  if (code !== 0) return failed(io, "crontab -", err);
  const block = after.slice(after.indexOf(`# >>> ${slug}`)).trimEnd();
  io.terminal.out(`${words.noSystemd}\n${words.written}:\n${block}\n${words.next15}\n`);
  return EXIT.ok;
}

function refuseHalf(io: Io, slug: string): number {
  return refuse(
    io,
    `The block of ${slug} in the crontab is not whole`,
    "mend it with `crontab -e`",
  );
}

/** Null where there are none. */
async function removeLines({ session, words, slug }: Here): Promise<number | null> {
  const { io } = session;
  const before = await readCrontab(io);
  if (before === null) return null;
  const after = withoutBlock(before, slug);
  if (after === null) return refuseHalf(io, slug);
  if (after === before) return null;
  const { code, err } = await io.children.ask("crontab", ["-"], after);
  if (code !== 0) return failed(io, "crontab -", err);
  io.terminal.out(`${words.removed}: crontab, ${slug}\n`);
  return EXIT.ok;
}
