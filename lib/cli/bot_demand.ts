/**
 * May a run be started from the chat? Asked once more, with its cost before the question and a code
 * that only this question has; without an answer in time it lapses. One at a time; started as a job
 * among the jobs, its end told like a report of the morning.
 */
import { LAPSE_MINUTES } from "../model/bot.ts";
import { EXIT } from "../model/exit.ts";
import type { ChatMessage } from "../model/ports.ts";
import { renderQuestion, renderSuites, suiteName } from "../report/bot.ts";
import { createFormat } from "../report/format.ts";
import { messageCode } from "../report/message_parts.ts";
import { readShortId } from "../report/short_ids.ts";
import { scheduleWordsOf } from "../report/words_schedule.ts";
import { type Bot, isLate } from "./bot.ts";
import { botJob, codeOf, estimateRun, suitesOf } from "./bot_run.ts";
import { telegramChannel } from "./channels.ts";
import { keepJob, openJob } from "./job_store.ts";
import { newsOf } from "./morning.ts";
import { programOf } from "./reproduce.ts";
import { sendNews } from "./send_news.ts";
import { join } from "./session.ts";

/** `/run <suite>`: the question, stored before it is asked; what is open already is replaced. */
export async function askRun(bot: Bot, typed: string, message: ChatMessage): Promise<string> {
  const { session, words, state } = bot;
  const { io, project: { config } } = session;
  if (isLate(message.at, io.clock.now())) return tooOld(bot, message);
  if (state.run !== null) return words.busy(suiteName(state.run.suite, config));
  const suites = await suitesOf(session);
  const meant = readShortId(typed, suites);
  const whole = typed.toLowerCase() === "all" && meant.kind !== "one";
  if (!whole && meant.kind !== "one") {
    return renderSuites(
      meant.kind === "several" ? meant.ids : suites,
      typed === "" ? null : typed,
      config,
    );
  }
  const suite = meant.kind === "one" ? meant.id : null;
  const job = botJob(session, suite);
  const estimate = await estimateRun(session, job);
  if (estimate === null) {
    const only = suite === null ? "" : ` --only ${suite}`;
    return `${words.cannotRun} ${messageCode(`${programOf(io).live}${only} --dry-run`)}`;
  }
  const asked = io.clock.now();
  const code = codeOf(`${message.at} ${suite ?? ""} ${asked} ${state.offset}`);
  await bot.keep({ question: { code, suite, asked } });
  const after = bot.jobs.running();
  return renderQuestion({ suite, code, after, ...estimate }, {
    ...config,
    currency: estimate.currency,
  });
}

function tooOld({ session, words }: Bot, { at }: ChatMessage): string {
  const { locale, zone, currency } = session.project.config;
  return words.tooOld(createFormat(locale, zone, currency), at);
}

/** `/yes <code>`: starts what was asked about, once, if the answer fits and is in time. */
export async function startRun(bot: Bot, typed: string, message: ChatMessage): Promise<string> {
  const { session, words, state } = bot;
  const { io, project: { config } } = session;
  const { question } = state;
  if (isLate(message.at, io.clock.now())) return tooOld(bot, message);
  if (question === null) return words.noQuestion;
  if (typed.toLowerCase() !== question.code) return words.wrongCode;
  if (isLate(question.asked, io.clock.now())) {
    await bot.keep({ question: null });
    return words.lapsed(LAPSE_MINUTES);
  }
  if (state.run !== null) return words.busy(suiteName(state.run.suite, config));
  const waits = bot.jobs.running() !== null;
  const due = io.clock.now();
  const run = { suite: question.suite, due, over: false };
  if (!await bot.keep({ question: null, run })) {
    // What no disk remembers could be started a second time.
    await bot.keep({ run: null });
    return words.failed;
  }
  void bot.jobs.start(botJob(session, question.suite), due).then(async () => {
    // Where the schedule is told to end, the next one tells of it.
    if (io.interrupted.aborted) return;
    await bot.keep({ run: { ...run, over: true } });
    await bot.tellRun();
  });
  return (waits ? words.begunLater : words.begun)(suiteName(question.suite, config));
}

/** `/no`: drops the open question. */
export async function dropRun(bot: Bot): Promise<string> {
  const { question } = bot.state;
  if (question === null) return bot.words.noQuestion;
  await bot.keep({ question: null });
  return bot.words.dropped;
}

/** Tells how a run ended; false where the chat was not reached, so that it is told later. */
export async function tellEnd(
  bot: Bot,
  { suite, due }: { readonly suite: string | null; readonly due: string },
): Promise<boolean> {
  const { session, words } = bot;
  const { config, root } = session.project;
  const file = await openJob(session, botJob(session, suite));
  const last = file.last?.due === due ? file.last : null;
  if (last?.outcome === "running") {
    await keepJob(session, { ...file, last: { ...last, outcome: "crashed" } });
  }
  const name = suiteName(suite, config);
  if (last === null || last.outcome === "running") return await bot.answer(words.brokeOff(name));
  const news = last.report === null ? null : await newsOf(session, join(root, last.report));
  if (news === null) {
    return await bot.answer(words.runOver(name, scheduleWordsOf(config.locale).outcome(last)));
  }
  const channel = telegramChannel(session, null);
  if (typeof channel === "number") return false;
  return await sendNews(session, news, { channel, full: false, again: false }) === EXIT.ok;
}
