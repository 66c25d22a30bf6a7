/**
 * How does a real model answer an agent's program through us? The request goes on byte for byte, with
 * the configured key instead of the program's; the answer comes back byte for byte while it is read
 * beside. Out: the answer for the program, and what it said, told once it is whole.
 */
import type { ModelConfig } from "../model/config.ts";
import { costOf } from "../model/cost.ts";
import type { AgentPlace, ModelApi, UpstreamAnswer } from "../model/model_api.ts";
import type { Clock } from "../model/ports.ts";
import type { Usage } from "../model/run.ts";
import type { GivenAnswer, HeardRequest } from "../model/serving.ts";
import type { Upstream } from "../model/upstream.ts";
import type { ReadRequest } from "./model_service.ts";

/** A real model that answers for the program's own. */
export interface LiveModel {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly config: Pick<ModelConfig, "api" | "name" | "price" | "billing" | "timeout_s">;
  /** Such as `https://api.example.test/v1`. */
  readonly baseUrl: string;
  /** Null where the interface wants none. */
  readonly key: string | null;
}

/** A whole answer of the real model. */
export type ForwardedAnswer = UpstreamAnswer & { readonly kind: "answer" };

/** What the exchange is reported to; exactly one of the two is called. */
export interface Told {
  /** Before the last piece is passed on, so that the program's next request finds it known. */
  answered(answer: ForwardedAnswer, about: { usage: Usage | null; latencyMs: number }): void;
  failed(why: string): void;
}

const STATUS_NO_ANSWER = 502;
const WORDS_MAX = 300;
/** A longer answer is no answer of a model. */
const LENGTH_MAX = 64 * 1024 * 1024;

/** Forwards one request. */
export async function forward(
  live: LiveModel,
  { read, heard, place }: {
    readonly read: ReadRequest;
    readonly heard: HeardRequest;
    readonly place: AgentPlace;
  },
  told: Told,
): Promise<GivenAnswer> {
  const { api, route } = read;
  const other = otherInterface(live, api);
  if (other !== null) return refuse(api, told, other);
  const startMs = live.clock.monotonicMs();
  try {
    const { status, headers, body } = await live.upstream.send(
      live.baseUrl.replace(/\/+$/, "") + route.place,
      {
        method: heard.method,
        headers: { ...passedHeaders(heard.headers), ...keyHeaders(live, api) },
        body: heard.body,
        timeoutMs: live.config.timeout_s * 1000,
        signal: heard.signal,
      },
    );
    const passing = new Passing({ live, read, place, told, status, startMs });
    return { status, headers, body: passing.pieces(body) };
  } catch (error) {
    const why = `Model "${live.config.name}" gave no answer: ${wordsOf(error, live.key)}`;
    return { ...refuse(api, told, why), status: STATUS_NO_ANSWER };
  }
}

function otherInterface({ config }: LiveModel, { name }: ModelApi): string | null {
  if (config.api === name) return null;
  return `The agent's program speaks the interface "${name}", model "${config.name}" ` +
    `has "${config.api}": requests are handed on as they are`;
}

function refuse(api: ModelApi, told: Told, why: string): GivenAnswer {
  told.failed(why);
  return api.miss(why);
}

/** Keys and cookies of the program are dummies; the others belong to its connection with us. */
const OF_PROGRAM: ReadonlySet<string> = new Set([
  ...["authorization", "x-api-key", "x-goog-api-key", "api-key", "proxy-authorization", "cookie"],
  ...["host", "connection", "keep-alive", "content-length", "transfer-encoding", "te", "upgrade"],
  ...["accept-encoding", "expect", "trailer"],
]);

function passedHeaders(headers: HeardRequest["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_PROGRAM.has(name)));
}

function keyHeaders({ key }: LiveModel, api: ModelApi): Readonly<Record<string, string>> {
  return key === null ? {} : api.keyHeaders(key);
}

function wordsOf(error: unknown, key: string | null): string {
  return withoutKey(error instanceof Error ? error.message : String(error), key);
}

function withoutKey(text: string, key: string | null): string {
  return key === null || key === "" ? text : text.replaceAll(key, "[key]");
}

/** Where an answer can be whole: in the last piece of a stream, before the connection ends. */
const LAST_PIECE = /\[DONE\]|response\.(?:completed|incomplete|failed)|message_stop|"finishReason"/;
const TAIL = 4096;

interface PassingAbout {
  readonly live: LiveModel;
  readonly read: ReadRequest;
  readonly place: AgentPlace;
  readonly told: Told;
  readonly status: number;
  readonly startMs: number;
}

/** An answer on its way to the program. */
class Passing {
  readonly #about: PassingAbout;
  readonly #decoder = new TextDecoder();
  #text = "";
  #isTold = false;

  constructor(about: PassingAbout) {
    this.#about = about;
  }

  async *pieces(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    try {
      for await (const piece of body) {
        this.#hear(this.#decoder.decode(piece, { stream: true }));
        yield piece;
      }
      this.#end();
    } catch (error) {
      this.#fail(`its answer broke off: ${wordsOf(error, this.#about.live.key)}`);
      throw error;
    } finally {
      this.#fail("its answer was not read to the end");
    }
  }

  #hear(text: string): void {
    if (this.#text.length > LENGTH_MAX) return;
    this.#text += text;
    const isStream = this.#about.read.route.streaming !== "no";
    if (isStream && LAST_PIECE.test(this.#text.slice(-TAIL - text.length))) this.#tryAnswer();
  }

  #end(): void {
    this.#text += this.#decoder.decode();
    const why = this.#tryAnswer();
    if (why !== null) this.#fail(why);
  }

  /** Null where it is told; else why it cannot be read, so far. */
  #tryAnswer(): string | null {
    const { read: { api, route, request }, place, status, live, told, startMs } = this.#about;
    if (this.#isTold) return null;
    if (status < 200 || status > 299) {
      const words = this.#text.replace(/\s+/g, " ").trim().slice(0, WORDS_MAX);
      return `it refused with status ${status}: ${withoutKey(words, live.key)}`;
    }
    const answer = api.readAnswer(this.#text, { streaming: route.streaming, request, place });
    if (answer.kind === "unreadable") return `its answer cannot be read: ${answer.why}`;
    this.#isTold = true;
    const { price, billing } = live.config;
    const { usage } = answer;
    const cost = usage === null ? null : costOf(usage, price, billing);
    const latencyMs = Math.round(live.clock.monotonicMs() - startMs);
    told.answered(answer, { usage: usage === null ? null : { ...usage, cost }, latencyMs });
    return null;
  }

  #fail(why: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#about.told.failed(`Model "${this.#about.live.config.name}": ${why}`);
  }
}
