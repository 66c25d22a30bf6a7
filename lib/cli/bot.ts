/**
 * What does the owner of the chat ask? Waits for messages of the Bot API and answers those of the one
 * configured chat; others are counted and get nothing. No answer changes a gate, a baseline or the
 * ledger; a run is asked about twice and goes the way of every job. What was seen is stored, before
 * anything is started: a machine that goes down may lose an answer, and never starts a run twice.
 */
import { match } from "ts-pattern";
import { type BotState, LAPSE_MINUTES } from "../model/bot.ts";
import { isDelivered } from "../model/outbox.ts";
import type { ChatAddress, ChatMessage, ChatUpdate, UpdatesOutcome } from "../model/ports.ts";
import { type BotWords, botWordsOf } from "../report/words_bot.ts";
import { type BotCommand, readCommand } from "./bot_command.ts";
import { readBotState, writeBotState } from "./bot_state.ts";
import { deliver, LIMITS } from "./deliver.ts";
import type { Job } from "./job_store.ts";
import type { Session } from "./session.ts";

/** The jobs of the schedule, as the bot may use them. */
export interface BotJobs {
  /** Adds a job to those that wait; resolves when it ended, stored already. */
  start(job: Job, due: string): Promise<void>;
  /** The job that runs, null where none does. */
  running(): string | null;
}

/** How long one question to the Bot API waits for a message, and how long it may take. */
const WAIT_S = 50;
const POLL_MS = 70_000;

/** Pauses after failures in a row; the last one is kept to. */
const PAUSES_MS = [2_000, 6_000, 20_000, 60_000, 120_000, 300_000];

/** An interface that does not wait is not asked more often. */
const EMPTY_MS = 1_000;

/** Pauses between the tries of an answer: whoever asked asks again. */
const ANSWER_LIMITS = { ...LIMITS, pausesMs: [2_000, 6_000] };

/** Listens and answers until the process is told to end. Never throws. */
export async function runBot(
  session: Session,
  address: ChatAddress,
  jobs: BotJobs,
): Promise<void> {
  const { state, why } = await readBotState(session, address.token);
  const bot = new Bot(session, { address, jobs, state });
  if (why !== null) bot.say((words) => words.unstored(why));
  await bot.listen();
}

/** The bot while it listens. */
export class Bot {
  readonly session: Session;
  readonly address: ChatAddress;
  readonly jobs: BotJobs;
  readonly words: BotWords;
  state: BotState;
  /** What is wrong with the connection, so that it is said once. */
  #trouble: string | null = null;
  #failures = 0;
  #stored: Promise<boolean> = Promise.resolve(true);
  /** What an ended run still has to say is tried one at a time. */
  #telling = false;

  constructor(
    session: Session,
    { address, jobs, state }: {
      readonly address: ChatAddress;
      readonly jobs: BotJobs;
      readonly state: BotState;
    },
  ) {
    this.session = session;
    this.address = address;
    this.jobs = jobs;
    this.state = state;
    this.words = botWordsOf(session.project.config.locale);
  }

  /** Says something where the schedule writes. */
  say(line: (words: BotWords["cli"]) => string): void {
    this.session.io.terminal.err(`${this.session.masker.mask(line(this.words.cli))}\n`);
  }

  async listen(): Promise<void> {
    const { io } = this.session;
    this.say((words) => words.listens);
    // Nothing of it goes on: its process ended with the schedule that started it.
    if (this.state.run !== null) {
      await this.keep({ run: { ...this.state.run, over: true } });
      await this.tellRun();
    }
    while (!io.interrupted.aborted) {
      const begunMs = io.clock.monotonicMs();
      const outcome = await io.chat.updates(
        this.address,
        { offset: this.state.offset, waitS: WAIT_S },
        { timeoutMs: POLL_MS, signal: io.interrupted },
      );
      if (io.interrupted.aborted) return;
      const pauseMs = await this.#take(outcome, io.clock.monotonicMs() - begunMs);
      if (pauseMs > 0) await io.clock.sleep(pauseMs, io.interrupted).catch(() => undefined);
    }
  }

  /** Does what came; resolves to the pause before the next question. */
  async #take(outcome: UpdatesOutcome, tookMs: number): Promise<number> {
    if (outcome.kind === "updates") {
      if (this.#trouble !== null) this.say((words) => words.reached);
      [this.#trouble, this.#failures] = [null, 0];
      for (const update of outcome.updates) {
        if (this.session.io.interrupted.aborted) return 0;
        await this.#see(update).catch((error) => this.#failed(error));
      }
      await this.tellRun();
      return outcome.updates.length === 0 && tookMs < EMPTY_MS ? EMPTY_MS : 0;
    }
    const grown = PAUSES_MS[Math.min(this.#failures++, PAUSES_MS.length - 1)] ?? 0;
    if (outcome.kind === "busy") return Math.max(grown, outcome.retryAfterS * 1000);
    const trouble = outcome.kind === "conflict"
      ? this.words.cli.conflict
      : this.words.cli.unreached(outcome.why);
    // A long wait that was cut is no trouble until it happens again.
    if (trouble !== this.#trouble && (this.#failures > 1 || outcome.kind !== "unsure")) {
      this.say(() => trouble);
      this.#trouble = trouble;
    }
    return grown;
  }

  async #see({ id, message }: ChatUpdate): Promise<void> {
    if (this.state.offset !== null && id < this.state.offset) return;
    const seen = { offset: id + 1 };
    if (message === null) return void await this.keep(seen);
    if (message.chat !== this.address.chat) {
      return void await this.keep({ ...seen, ignored: this.state.ignored + 1 });
    }
    const command = readCommand(message);
    if (command === null || command.kind === "run" || command.kind === "yes") {
      await this.keep(seen);
    }
    if (command !== null) {
      const text = await this.#answer(command, message).catch((error) => {
        this.#failed(error);
        return this.words.failed;
      });
      await this.answer(text);
    }
    await this.keep(seen);
  }

  async #answer(command: BotCommand, message: ChatMessage): Promise<string> {
    const { session } = this;
    const [{ renderHelp }, answers, runs] = await Promise.all([
      import("../report/bot.ts"),
      import("./bot_answers.ts"),
      import("./bot_demand.ts"),
    ]);
    const now = {
      state: this.state,
      chat: this.address.chat,
      running: this.jobs.running(),
    };
    return await match(command)
      .with({ kind: "help" }, ({ why }) => renderHelp(why, session.project.config))
      .with({ kind: "status" }, () => answers.statusAnswer(session, now))
      .with({ kind: "last" }, () => answers.lastAnswer(session))
      .with({ kind: "why" }, ({ typed }) => answers.whyAnswer(session, typed))
      .with({ kind: "overrides" }, () => answers.overridesAnswer(session))
      .with({ kind: "run" }, ({ typed }) => runs.askRun(this, typed, message))
      .with({ kind: "yes" }, ({ typed }) => runs.startRun(this, typed, message))
      .with({ kind: "no" }, () => runs.dropRun(this))
      .exhaustive();
  }

  /** Sends a text to the chat; false where it was not delivered, which is said. */
  async answer(text: string): Promise<boolean> {
    const { io, masker } = this.session;
    const { answerMessage } = await import("./bot_message.ts");
    const message = answerMessage(this.session, masker.mask(text), this.address);
    const sent = await deliver(message, {
      io,
      limits: ANSWER_LIMITS,
      repeat: "",
      unstored: "",
      send: (part, _, options) => io.chat.send(this.address, part, options),
      store: () => Promise.resolve(true),
    });
    if (isDelivered(sent)) return true;
    const why = sent.parts.find(({ state }) => state !== "delivered")?.why ?? "";
    this.say((words) => words.unanswered(why));
    return false;
  }

  /** Tells how a run ended that the bot started, where that is left to tell. */
  async tellRun(): Promise<void> {
    const { run } = this.state;
    if (run === null || !run.over || this.#telling) return;
    this.#telling = true;
    try {
      const { tellEnd } = await import("./bot_demand.ts");
      if (await tellEnd(this, run)) await this.keep({ run: null });
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#telling = false;
    }
  }

  /** Changes the state and stores it; false where the disk takes nothing, which is said. */
  async keep(change: Partial<BotState>): Promise<boolean> {
    this.state = { ...this.state, ...change };
    // One after the other, so that an older state never lies over a newer one.
    this.#stored = this.#stored.then(() => writeBotState(this.session, this.state))
      .then(() => true, (error) => {
        this.#failed(error);
        return false;
      });
    return await this.#stored;
  }

  #failed(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.say((words) => words.unstored(why));
  }
}

/** True where something was written too long ago to start anything by it. */
export function isLate(at: string, now: string): boolean {
  return Date.parse(now) - Date.parse(at) > LAPSE_MINUTES * 60_000;
}
