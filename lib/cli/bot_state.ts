/**
 * What did the bot remember when it last ran? Reads and writes `reports/schedule/bot/state.json`. A
 * file that cannot be used, or that is of another bot, counts as none: then the oldest message that
 * Telegram still has is the first.
 */
import { type BotState, botState } from "../model/bot.ts";
import { scheduleFolder } from "./job_store.ts";
import { placeMark } from "./outbox.ts";
import type { Session } from "./session.ts";

function pathOf(session: Session): string {
  return `${scheduleFolder(session)}/bot/state.json`;
}

/** The state, made new where nothing usable is kept; `why` says what was wrong with what is kept. */
export async function readBotState(
  session: Session,
  token: string,
): Promise<{ readonly state: BotState; readonly why: string | null }> {
  const { files } = session.io;
  const bot = placeMark(`bot ${token}`);
  const fresh: BotState = {
    schema: "collaudo/bot@1",
    bot,
    offset: null,
    ignored: 0,
    question: null,
    run: null,
  };
  const path = pathOf(session);
  try {
    if (await files.stat(path) === null) return { state: fresh, why: null };
    const kept = botState.parse(JSON.parse(await files.readText(path)));
    return kept.bot === bot ? { state: kept, why: null } : { state: fresh, why: null };
  } catch {
    return { state: fresh, why: "reports/schedule/bot/state.json cannot be used" };
  }
}

/** Keeps the state; throws where the disk takes nothing. */
export async function writeBotState(session: Session, state: BotState): Promise<void> {
  await session.io.files.writeText(pathOf(session), `${JSON.stringify(state, null, 1)}\n`);
}
