/**
 * Who answers an agent's program that asks its model? A handler over a model port: it finds the
 * interface, the conversation and whose it is, and answers from the recording; or hands the request
 * on. A request that no recording answers is refused with 400, counted, and goes nowhere else.
 */
import { hashText } from "../model/hash.ts";
import type { Json } from "../model/json.ts";
import type {
  AgentPlace,
  AgentRequest,
  CompletionRoute,
  ModelApi,
  SentAnswer,
  StopReason,
} from "../model/model_api.ts";
import type { Model, ModelAnswer, ModelMessage } from "../model/ports.ts";
import type { GivenAnswer, HeardRequest, HttpHandler } from "../model/serving.ts";
import { forward, type LiveModel } from "./model_forward.ts";
import { type Conversation, ModelLog, type SeenByModel } from "./model_log.ts";
import { normaliseSpeech } from "./normalise.ts";
import { type AnswerFacts, recordedUsage, type ToldConversation } from "./recorded_conversation.ts";

/** What a service plays, and in which run. */
export interface ModelServiceOptions {
  /** The interfaces that are served. */
  readonly apis: readonly ModelApi[];
  /** Who answers: a recording, or a real model that requests are handed on to. */
  readonly model: Model | LiveModel;
  /** Absolute paths of the run's folders. */
  readonly workspace: string;
  readonly home: string;
  /** What the user said in the run so far: the user's conversation begins with the first of it. */
  readonly said: () => readonly string[];
}

/** The model of one run, served. */
export interface ModelService {
  readonly handle: HttpHandler;
  /** What it saw, as it stands. */
  seen(): SeenByModel;
  /** Null, or why a run that ended by itself is stale all the same: recorded turns were left over. */
  leftOver(): string | null;
  /** The user's conversation with its last answer, for a recording of it. */
  conversation(): ToldConversation;
}

/** Serves a model to the program of one run. */
export function modelService(options: ModelServiceOptions): ModelService {
  return new ServedModel(options);
}

/** One request, read. */
export interface ReadRequest {
  readonly api: ModelApi;
  readonly route: CompletionRoute;
  readonly request: AgentRequest;
  readonly conversation: Conversation;
}

type Answered = ModelAnswer & { readonly kind: "answer" };

class ServedModel implements ModelService {
  readonly handle: HttpHandler = (request) => this.#handle(request);
  readonly #options: ModelServiceOptions;
  readonly #log = new ModelLog();
  readonly #place: AgentPlace;
  #told: ToldConversation = { messages: [], facts: new Map(), system: "", tools: [] };

  constructor(options: ModelServiceOptions) {
    this.#options = options;
    const { workspace, home, said } = options;
    this.#place = { workspace, home, said, issued: (id) => this.#log.issued(id) };
  }

  seen(): SeenByModel {
    return this.#log.seen();
  }

  leftOver(): string | null {
    const { model } = this.#options;
    return isLive(model) ? null : model.leftOver(this.#told.messages);
  }

  conversation(): ToldConversation {
    return this.#told;
  }

  async #handle(heard: HeardRequest): Promise<GivenAnswer> {
    if (heard.method === "HEAD" || heard.method === "OPTIONS") return blank(heard.method);
    for (const api of this.#options.apis) {
      const route = api.route(heard);
      if (route === null) continue;
      if (route.kind === "unreadable") return this.#miss(api, route.why);
      if (route.kind === "complete") return await this.#complete(api, route, heard);
      this.#log.sides++;
      return route.answer;
    }
    this.#log.strange.push(`${heard.method} ${heard.path.slice(0, PATH_MAX)}`);
    return json({ error: { message: "No model interface has this address" } }, 404);
  }

  async #complete(
    api: ModelApi,
    route: CompletionRoute,
    heard: HeardRequest,
  ): Promise<GivenAnswer> {
    this.#log.requests++;
    const request = api.readRequest(route, this.#place);
    if (request.kind === "unreadable") return this.#miss(api, request.why);
    const read = { api, route, request, conversation: this.#whose(request) };
    const side = isSide(read);
    if (side) this.#log.sides++;
    else this.#hear(read);
    const { model } = this.#options;
    if (isLive(model)) return await this.#forward(model, { read, heard, side });
    return side ? this.#side(read) : await this.#replay(model, read, heard.signal);
  }

  async #replay(model: Model, read: ReadRequest, signal: AbortSignal): Promise<GivenAnswer> {
    const { api, request, conversation } = read;
    if (conversation === "other") return this.#miss(api, strangeConversation(request));
    const unsaid = model.takesAnyUser === true ? this.#unsaid(request) : null;
    if (unsaid !== null) return this.#miss(api, strangeWords(unsaid));
    const system: ModelMessage = { role: "system", text: request.system };
    const messages = [system, ...request.messages];
    const answer = await model.complete({ messages, tools: request.tools }, signal);
    if (answer.kind === "answer") return this.#answer(read, answer);
    if (answer.kind === "stale") return this.#miss(api, answer.why);
    this.#log.failures.push(answer.why);
    return api.miss(answer.why);
  }

  async #forward(
    live: LiveModel,
    { read, heard, side }: { read: ReadRequest; heard: HeardRequest; side: boolean },
  ): Promise<GivenAnswer> {
    return await forward(live, { read, heard, place: this.#place }, {
      answered: (answer, { usage, latencyMs }) => {
        const { text, issued, model, stop, thinking } = answer;
        if (side) return this.#log.side({ usage, latencyMs }, model);
        const { conversation } = read;
        const cost = { usage, latencyMs };
        this.#log.answer({ conversation, issued, answer: cost, model, notices: [] });
        const calls = issued.map(({ call }) => call);
        this.#tell(read, { text, calls }, {
          ...recordedUsage(usage),
          latencyMs,
          stop,
          ...(thinking === null ? {} : { thinking }),
        });
      },
      failed: (why) => {
        this.#log.failures.push(why);
      },
    });
  }

  /** Keeps the user's conversation as it is after an answer. */
  #tell(
    { request: { messages, system, tools }, conversation }: ReadRequest,
    { text, calls }: Pick<Answered, "text" | "calls">,
    facts: AnswerFacts,
  ): void {
    if (conversation === "other") return;
    const numbered = calls.map((call, i) => ({ ...call, id: `c${callCount(messages) + i + 1}` }));
    this.#told = {
      messages: [...messages, { role: "assistant", text, calls: numbered }],
      facts: new Map([...this.#told.facts, [messages.length, facts]]),
      system,
      tools,
    };
  }

  #miss(api: ModelApi, why: string): GivenAnswer {
    this.#log.misses.push(why);
    return api.miss(`No recorded answer: ${why}`);
  }

  /** The user's conversation begins with what the user said first. */
  #whose({ userWords: [begins] }: AgentRequest): Conversation {
    const [said] = this.#options.said();
    if (said === undefined || begins === undefined) return "other";
    return normaliseSpeech(begins) === normaliseSpeech(said) ? "user" : "other";
  }

  /** Words that a program put into the user's mouth, null where there are none. */
  #unsaid({ userWords }: AgentRequest): string | null {
    const said = new Set(this.#options.said().map(normaliseSpeech));
    return userWords.find((words) => !said.has(normaliseSpeech(words))) ?? null;
  }

  #hear({ request, conversation }: ReadRequest): void {
    this.#log.hear(request.messages, request.results);
    if (conversation === "other") return;
    this.#log.firstTools ??= request.tools.map(({ bare }) => bare);
  }

  #side(read: ReadRequest): GivenAnswer {
    const { text, calls } = read.request.sideAnswer;
    return this.#write(read, { ...NO_ANSWER, text, calls }).given;
  }

  #answer(read: ReadRequest, answer: Answered): GivenAnswer {
    const sent = this.#write(read, answer);
    const { usage, latencyMs, model, notices } = answer;
    const { conversation } = read;
    const { issued } = sent;
    this.#log.answer({ conversation, issued, answer: { usage, latencyMs }, model, notices });
    this.#tell(read, answer, {});
    return sent.given;
  }

  #write(read: ReadRequest, answer: Answered): SentAnswer {
    const written = {
      id: idOf(read),
      text: answer.text,
      calls: answer.calls,
      thinking: answer.thinking ?? null,
      stop: stopOf(answer),
      usage: answer.usage,
      model: answer.model ?? read.request.model,
    };
    return read.api.write(written, this.#about(read));
  }

  #about({ route, request }: ReadRequest) {
    return { streaming: route.streaming, request, place: this.#place };
  }
}

function isLive(model: Model | LiveModel): model is LiveModel {
  return "upstream" in model;
}

function callCount(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, one) => sum + (one.role === "assistant" ? one.calls.length : 0), 0);
}

const NO_ANSWER: Answered = {
  kind: "answer",
  text: "",
  calls: [],
  usage: null,
  latencyMs: null,
  model: null,
  notices: [],
};
const PATH_MAX = 200;
const WORDS_MAX = 120;
const ID_LENGTH = 16;

/** The same for the same conversation, so that a repeated request gets the same ids. */
function idOf({ request: { messages, side } }: ReadRequest): string {
  return hashText(JSON.stringify([messages, side])).slice("sha256:".length).slice(0, ID_LENGTH);
}

/** Without tools nothing can be done: a conversation of the program's own is then a mere question. */
function isSide({ request, conversation }: ReadRequest): boolean {
  return request.side !== null || (conversation === "other" && request.tools.length === 0);
}

function stopOf({ stop, calls }: Answered): StopReason {
  if (stop === "length" || stop === "refused") return stop;
  return calls.length > 0 ? "calls" : "end";
}

function strangeConversation({ userWords: [begins = ""] }: AgentRequest): string {
  return `the user did not begin this conversation, which begins with ${shown(begins)}: ` +
    "a recording holds the user's conversation alone";
}

function strangeWords(words: string): string {
  return `the program says ${shown(words)} for the user, who did not`;
}

function shown(words: string): string {
  return JSON.stringify(words.slice(0, WORDS_MAX));
}

function blank(method: string): GivenAnswer {
  return { status: method === "HEAD" ? 200 : 204, headers: {}, body: "" };
}

function json(body: Json, status: number): GivenAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
