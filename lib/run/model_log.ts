/**
 * What did an agent's program ask of its model, and what did it get? The log of a model service: calls
 * that were asked for and what came back of them, conversations, misses, models and tokens. It is what
 * shows attempts that neither the tools' record nor the program's own output holds.
 */
import type { HeardResult, IssuedCall } from "../model/model_api.ts";
import type { ModelMessage } from "../model/ports.ts";
import type { Usage } from "../model/run.ts";
import { type AnswerUsage, sumUsage } from "./usage_sum.ts";

/** Whose conversation a request belongs to: the user's, or one that the program leads by itself. */
export type Conversation = "user" | "other";

/** A call that a model asked for. */
export interface AnsweredCall extends IssuedCall {
  readonly conversation: Conversation;
  /** What the program told the model of it; null where it never did. */
  readonly result: HeardResult | null;
}

/** What a model service saw so far. */
export interface SeenByModel {
  /** Requests that wanted an answer of a model, side requests included. */
  readonly requests: number;
  /** Answers given in the user's conversation; an answer that was asked for twice counts twice. */
  readonly turns: number;
  /** Requests that were no turn of a conversation, such as titles and counts of tokens. */
  readonly sides: number;
  /** Why requests had no recorded answer; none was answered. */
  readonly misses: readonly string[];
  /** Why a real model did not answer. */
  readonly failures: readonly string[];
  /** Requests to addresses that no interface has, `POST /v1/x`. */
  readonly strange: readonly string[];
  /** Bare names of the tools in the first request of the user's conversation; null before it. */
  readonly firstTools: readonly string[] | null;
  /** Every call that the model asked for, in order. */
  readonly answered: readonly AnsweredCall[];
  /** The models that answered, as they name themselves, each once. */
  readonly models: readonly string[];
  /** Sum over the answers; what one of them did not tell is left out. */
  readonly usage: Usage;
  /** How many conversations there were, told apart by how they begin. */
  readonly conversations: number;
  /** Notices that the recording has before its answers, in order. */
  readonly notices: readonly string[];
}

/** An answer as it is logged. */
export interface LoggedAnswer {
  readonly conversation: Conversation;
  readonly issued: readonly IssuedCall[];
  readonly answer: AnswerUsage;
  readonly model: string | null;
  readonly notices: readonly string[];
}

/** Keeps what a service saw; one for each run. */
export class ModelLog {
  requests = 0;
  turns = 0;
  sides = 0;
  readonly misses: string[] = [];
  readonly failures: string[] = [];
  readonly strange: string[] = [];
  firstTools: readonly string[] | null = null;
  readonly #answered: AnsweredCall[] = [];
  /** Place in `#answered` of the newest call with an id. */
  readonly #places = new Map<string, number>();
  readonly #models = new Set<string>();
  readonly #usages: AnswerUsage[] = [];
  readonly #beginnings = new Set<string>();
  readonly #notices: string[] = [];

  /** A call that was handed out, by the id that a program tells: some leave signs out of ids. */
  issued(id: string): IssuedCall | undefined {
    const place = this.#places.get(idKey(id));
    return place === undefined ? undefined : this.#answered[place];
  }

  hear(messages: readonly ModelMessage[], results: readonly HeardResult[]): void {
    const first = messages.find(({ role }) => role === "user");
    this.#beginnings.add(first !== undefined && "text" in first ? first.text : "");
    for (const result of results) {
      const place = this.#places.get(idKey(result.id));
      const call = place === undefined ? undefined : this.#answered[place];
      if (place !== undefined && call !== undefined) this.#answered[place] = { ...call, result };
    }
  }

  answer({ conversation, issued, answer, model, notices }: LoggedAnswer): void {
    if (conversation === "user") this.turns++;
    this.#usages.push(answer);
    if (model !== null) this.#models.add(model);
    this.#notices.push(...notices);
    for (const call of issued) this.#issue({ ...call, conversation, result: null });
  }

  /** What an answer beside the conversations cost. */
  side(answer: AnswerUsage, model: string | null): void {
    this.#usages.push(answer);
    if (model !== null) this.#models.add(model);
  }

  /** Asked for again with the same id, it is the same call: the program repeated its request. */
  #issue(call: AnsweredCall): void {
    const key = idKey(call.id);
    const place = this.#places.get(key);
    const known = place === undefined ? undefined : this.#answered[place];
    const same = known !== undefined && known.result === null &&
      known.native.tool === call.native.tool && known.native.args === call.native.args;
    if (same) return;
    this.#places.set(key, this.#answered.length);
    this.#answered.push(call);
  }

  seen(): SeenByModel {
    const { requests, turns, sides, misses, failures, strange, firstTools } = this;
    const counts = { requests, turns, sides, conversations: this.#beginnings.size };
    return {
      ...counts,
      misses: [...misses],
      failures: [...failures],
      strange: [...strange],
      firstTools,
      answered: [...this.#answered],
      models: [...this.#models],
      usage: sumUsage(this.#usages),
      notices: [...this.#notices],
    };
  }
}

function idKey(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, "");
}
