/**
 * What does the schedule say of its jobs, in English and Italian? Kept apart from the report's words:
 * a process that waits for a week loads no more than this. Times are local, with their zone.
 */
import type { Config } from "../model/config.ts";
import type { JobAttempt, JobOutcome } from "../model/job.ts";

type Locale = Config["locale"];

const TAGS: Readonly<Record<Locale, string>> = { en: "en-GB", it: "it-IT" };

/** A time as people read it in the zone: weekday, day, month, year, hour, minute, zone. */
export function localMoment(locale: Locale, zone: string, iso: string): string {
  return new Intl.DateTimeFormat(TAGS[locale], {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
    timeZoneName: "short",
  }).format(Date.parse(iso));
}

const ENGLISH = {
  outcomes: {
    running: "running",
    completed: "completed",
    failed: "failed",
    crashed: "crashed",
    timeout: "ended at its time limit",
    interrupted: "interrupted",
    not_started: "could not be started",
  } as Record<JobOutcome, string>,
  reasons: { on_time: "on time", late: "late", caught_up: "caught up" } as Record<
    JobAttempt["reason"],
    string
  >,
  begins: (name: string, due: string, reason: string) => `${name}: begins (${reason}, due ${due})`,
  ended: (name: string, outcome: string) => `${name}: ${outcome}`,
  exit: (code: number) => `exit code ${code}`,
  decision: (decision: string) => `decision: ${decision}`,
  crashedAt: (name: string, started: string) =>
    `${name}: crashed: it began ${started} and its end was never stored`,
  nextAt: (name: string, time: string) => `${name}: next ${time}`,
  overlap: (name: string) => `${name}: still running, this time is left out`,
  elsewhere:
    "Another schedule of this project is running\n  fix: end that one first, or leave it to it",
  unusable: (file: string) => `${file} cannot be used: the job counts as never done`,
  next: "next",
  last: "last",
  success: "last success",
  never: "never",
  neverBegun: (schedule: string) =>
    `never begun: start \`${schedule}\`, or \`${schedule} install\``,
  days: (n: number) => n === 1 ? "1 day ago" : `${n} days ago`,
  alarm: (days: number) => `no success for ${days} days`,
  written: "written",
  removed: "removed",
  nothing: "Nothing of this project is installed",
  noSystemd: "systemd does not answer here, so the job goes into the crontab",
  keys: (file: string, names: string) =>
    names === ""
      ? `Environment variables for the jobs, NAME=value a line: ${file}`
      : `Environment variables for the jobs (${names}), NAME=value a line: ${file}`,
  linger: (user: string) =>
    `Without this, jobs run only while you are logged in: sudo loginctl enable-linger ${user}`,
  next15: "Looked at every 15 minutes, so a job may begin up to 15 minutes late",
};

/** What the schedule says. */
export type ScheduleTexts = typeof ENGLISH;

const ITALIAN: ScheduleTexts = {
  outcomes: {
    running: "in corso",
    completed: "completato",
    failed: "fallito",
    crashed: "interrotto da un crash",
    timeout: "fermato al limite di tempo",
    interrupted: "interrotto",
    not_started: "non avviato",
  },
  reasons: { on_time: "in orario", late: "in ritardo", caught_up: "recuperato" },
  begins: (name, due, reason) => `${name}: comincia (${reason}, previsto ${due})`,
  ended: (name, outcome) => `${name}: ${outcome}`,
  exit: (code) => `codice di uscita ${code}`,
  decision: (decision) => `decision: ${decision}`,
  crashedAt: (name, started) =>
    `${name}: interrotto da un crash: cominciato ${started}, la sua fine non è mai stata registrata`,
  nextAt: (name, time) => `${name}: prossimo ${time}`,
  overlap: (name) => `${name}: ancora in corso, questo orario è saltato`,
  elsewhere:
    "Un'altra pianificazione di questo progetto è in esecuzione\n  fix: ferma prima quella, o lascia fare a lei",
  unusable: (file) => `${file} non è utilizzabile: il lavoro conta come mai svolto`,
  next: "prossimi",
  last: "ultimo",
  success: "ultimo riuscito",
  never: "mai",
  neverBegun: (schedule) => `mai avviato: esegui \`${schedule}\`, o \`${schedule} install\``,
  days: (n) => n === 1 ? "1 giorno fa" : `${n} giorni fa`,
  alarm: (days) => `nessuna esecuzione riuscita da ${days} giorni`,
  written: "scritto",
  removed: "tolto",
  nothing: "Di questo progetto non è installato nulla",
  noSystemd: "systemd qui non risponde, quindi il lavoro va nel crontab",
  keys: (file, names) =>
    names === ""
      ? `Variabili d'ambiente per i lavori, NOME=valore una per riga: ${file}`
      : `Variabili d'ambiente per i lavori (${names}), NOME=valore una per riga: ${file}`,
  linger: (user) =>
    `Senza questo, i lavori partono solo mentre sei collegato: sudo loginctl enable-linger ${user}`,
  next15: "Controllato ogni 15 minuti: un lavoro può cominciare con 15 minuti di ritardo",
};

const CATALOGUE: Readonly<Record<Locale, ScheduleTexts>> = { en: ENGLISH, it: ITALIAN };

/** What the schedule says, with the lines that hold times. */
export interface ScheduleWords extends ScheduleTexts {
  /** A line about a job that begins or ended. */
  told(name: string, attempt: JobAttempt, zone: string): string;
  /** How a job ended, with its exit code and decision where it has them. */
  outcome(attempt: JobAttempt): string;
}

/** The words of a locale. */
export function scheduleWordsOf(locale: Locale): ScheduleWords {
  const words = CATALOGUE[locale];
  const outcome = ({ outcome, exitCode, decision }: JobAttempt) =>
    [
      words.outcomes[outcome],
      ...(exitCode === null ? [] : [words.exit(exitCode)]),
      ...(decision === null ? [] : [words.decision(decision)]),
    ].join(", ");
  return {
    ...words,
    outcome,
    told: (name, attempt, zone) =>
      attempt.outcome === "running"
        ? words.begins(
          name,
          localMoment(locale, zone, attempt.due),
          words.reasons[attempt.reason],
        )
        : words.ended(name, outcome(attempt)),
  };
}
