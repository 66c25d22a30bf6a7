/**
 * What does the bot remember? `reports/schedule/bot/state.json`: which messages it has seen, what it
 * asked and has no answer to, and the run that it started, until its end was told.
 */
import { z } from "zod";
import { isoTime } from "./common.ts";

/** A question that waits for a yes. */
const question = z.strictObject({
  code: z.string().regex(/^[a-z2-9]{4}$/).describe("What a yes must name"),
  suite: z.string().min(1).nullable().describe("Null for the whole suite"),
  asked: isoTime,
});

/** A run that was started on demand. */
const started = z.strictObject({
  suite: z.string().min(1).nullable(),
  due: isoTime.describe("The time that its job is noted for"),
  over: z.boolean().describe("It ended, and that was not told yet"),
});

export const botState = z.strictObject({
  schema: z.literal("collaudo/bot@1"),
  bot: z.string().regex(/^[0-9a-f]{16}$/).describe("A hash of the token: another bot counts anew"),
  offset: z.int().min(0).nullable().describe("The first message that was not seen yet"),
  ignored: z.int().min(0).describe("Messages of others that were not answered"),
  question: question.nullable(),
  run: started.nullable(),
});

export type BotState = z.infer<typeof botState>;

/** A question lapses after so long, and a command that is older starts nothing. */
export const LAPSE_MINUTES = 10;

/** What the bot reads of `run --dry-run --json`. */
export const dryRunAnswer = z.object({
  runs: z.array(z.object({ trials: z.int().min(1) })).min(1),
});

/** What the bot reads of `plan --json`. */
export const planAnswer = z.object({
  runs: z.int().min(0),
  currency: z.string(),
  rows: z.array(z.object({
    trials: z.int(),
    cost: z.number().nullable(),
    minutes: z.number().nullable(),
  })),
});
