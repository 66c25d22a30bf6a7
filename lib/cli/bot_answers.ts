/**
 * What is there to answer to `/status`, `/last`, `/why` and `/overrides`? Reads what the jobs, the
 * reports, the outbox and the ledger say now; changes nothing. Out: text in Telegram's HTML mode.
 */
import { loadReport } from "../load/report.ts";
import type { BotState } from "../model/bot.ts";
import { dayIn } from "../model/day.ts";
import type { Report } from "../model/report.ts";
import {
  renderDetails,
  renderOverrides,
  renderSeveral,
  renderStatus,
  renderWhich,
  renderWhy,
} from "../report/bot.ts";
import { showRows } from "../report/ledger_list.ts";
import { messageId } from "../report/message_parts.ts";
import { readShortId } from "../report/short_ids.ts";
import { botWordsOf } from "../report/words_bot.ts";
import { messageText } from "./compose_message.ts";
import { newestReport } from "./last_report.ts";
import { ledgerRowsNow } from "./ledger_command.ts";
import { newsOfToday } from "./morning.ts";
import { readOutbox } from "./outbox.ts";
import { standingOf } from "./schedule_list.ts";
import { openMessages } from "./send_news.ts";
import { fromRoot, type Session } from "./session.ts";

/** What the bot knows that no file says. */
export interface BotNow {
  readonly state: BotState;
  /** The chat that is answered. */
  readonly chat: string;
  /** The job that runs, null where none does. */
  readonly running: string | null;
}

/** `/status`. */
export async function statusAnswer(session: Session, now: BotNow): Promise<string> {
  const { config } = session.project;
  const newest = await newestRead(session);
  const jobs = [];
  for (const job of config.schedule.jobs) jobs.push(await standingOf(session, job));
  const lost = openMessages(await readOutbox(session), `chat ${now.chat}`, null);
  return renderStatus({
    jobs,
    running: now.running,
    newest: newest === null ? "none" : newest.report ?? "unreadable",
    undelivered: lost.length,
    ignored: now.state.ignored,
    question: now.state.question,
  }, config);
}

interface Newest {
  /** Null where it cannot be used. */
  readonly report: Report | null;
  readonly place: string;
}

async function newestRead(session: Session): Promise<Newest | null> {
  const path = await newestReport(session);
  return path === null ? null : await readAt(session, path);
}

async function readAt({ io, project }: Session, path: string): Promise<Newest> {
  const { report } = await loadReport(io.files, project, path);
  return { report, place: fromRoot(project.root, path.replace(/report\.json$/, "report.md")) };
}

/** `/last`: the message of this morning, with commands for what failed. */
export async function lastAnswer(session: Session): Promise<string> {
  const news = await newsOfToday(session);
  const text = await messageText(session, news, []);
  if (news.told.kind !== "report") return text;
  const details = renderDetails(news.told.report, session.project.config);
  return details === "" ? text : `${text}\n${details}`;
}

/** `/why <id>`: of the newest report, else of the one that the morning's message was about. */
export async function whyAnswer(session: Session, typed: string): Promise<string> {
  const { config } = session.project;
  const own = botWordsOf(config.locale);
  const newest = await newestRead(session);
  if (newest === null) return own.noReport;
  if (newest.report === null) return own.unreadable;
  if (typed === "") return renderWhich(newest.report, config);
  const told = await toldReport(session);
  for (const { report, place } of told === null ? [newest] : [newest, told]) {
    if (report === null) continue;
    const ids = report.scenarios.map(({ id }) => id);
    const meant = readShortId(typed, ids);
    if (meant.kind === "several") return renderSeveral(meant.ids, ids, config);
    const scenario = report.scenarios.find(({ id }) => meant.kind === "one" && id === meant.id);
    if (scenario !== undefined) return renderWhy(scenario, { report, place }, config);
  }
  return `${own.whyNone(messageId(typed))}\n${renderWhich(newest.report, config)}`;
}

async function toldReport(session: Session): Promise<Newest | null> {
  const { told } = await newsOfToday(session);
  return told.kind === "report" ? { report: told.report, place: told.place } : null;
}

/** `/overrides`. */
export async function overridesAnswer(session: Session): Promise<string> {
  const { io, project: { config } } = session;
  const rows = await ledgerRowsNow(session);
  if (typeof rows === "number") return botWordsOf(config.locale).ledgerBroken;
  const newest = await newestRead(session);
  const today = dayIn(config.zone, io.clock.now());
  const shown = showRows(rows, today, newest?.report?.scenarios ?? null)
    .filter(({ status }) => status === "open");
  return renderOverrides(shown, config);
}
