/**
 * What does a server of one of the four model interfaces read and write? The types between the
 * codecs (`wire`) and the service that answers an agent's program (`run`): requests with the
 * canonical conversation, answers in our terms, and what was asked for under which id.
 */
import type { Json } from "./json.ts";
import type { ModelCall, ModelMessage, ModelTool } from "./ports.ts";
import type { Usage } from "./run.ts";
import type { GivenAnswer, HeardRequest } from "./serving.ts";

/** The interfaces that are served. */
export type ModelApiName = "chat" | "responses" | "messages" | "gemini";

/** How an answer is sent: whole, as events, or (Gemini without `alt=sse`) as a JSON list in pieces. */
export type Streaming = "no" | "events" | "list";

/** A request that wants an answer of the model. */
export interface CompletionRoute {
  readonly kind: "complete";
  readonly streaming: Streaming;
  /** The request's body, parsed. */
  readonly body: Json;
  /** The model where the path names it. */
  readonly model: string | null;
  /** Path and query below the interface's base URL, without keys: where it is forwarded to. */
  readonly place: string;
}

/** What a request is; a `side` one needs no model and has its answer already. */
export type ApiRoute =
  | CompletionRoute
  | { readonly kind: "side"; readonly answer: GivenAnswer }
  | { readonly kind: "unreadable"; readonly why: string };

/** A tool as an agent's program declares it. */
export interface AgentTool extends ModelTool {
  /** Its name without what the program puts before the tools of our server. */
  readonly bare: string;
  /** The group that must be named beside the tool, null where there is none. */
  readonly namespace: string | null;
  /** How a call of it is written: with JSON arguments, with one text, or as a local shell. */
  readonly form: "function" | "text" | "local_shell";
}

/** A call that a model asked for, as we name it and as it was written for the program. */
export interface IssuedCall {
  /** As the program sees it. */
  readonly id: string;
  readonly call: ModelCall;
  /** Name and arguments in the program's own terms. */
  readonly native: { readonly tool: string; readonly args: string };
}

/** What a program said became of a call. */
export interface HeardResult {
  /** The call's id as the program sees it. */
  readonly id: string;
  readonly text: string;
  readonly status: "ok" | "error" | "denied";
  /** Where the text told it. */
  readonly exitCode: number | null;
}

/** What the canonical conversation is made with. */
export interface AgentPlace {
  /** Absolute path of the run's workspace: `{workspace}` in the conversation; a folder that holds both is `{run}`. */
  readonly workspace: string;
  /** Absolute path of the run's home: `{home}` in the conversation. */
  readonly home: string;
  /** What the user said in the run so far, as it was said. */
  said(): readonly string[];
  /** A call that we handed out, by the id that the program saw. */
  issued(id: string): IssuedCall | undefined;
}

/** A request read: the conversation as every program tells it. */
export interface AgentRequest {
  readonly kind: "request";
  /**
   * Without system texts and what programs add by themselves; tools by their bare names, `shell` and
   * `write_file` for the program's own, calls numbered `c1`, `c2`, …, results once each, in call order.
   */
  readonly messages: readonly ModelMessage[];
  /** What the user said in it, in order, with the paths of this run. */
  readonly userWords: readonly string[];
  /** System texts, without paths and dates of this run. */
  readonly system: string;
  /** As the program names them, without paths of this run. */
  readonly tools: readonly AgentTool[];
  readonly model: string;
  /** What it is where it is no turn of the conversation (title, memory, classifier, …). */
  readonly side: string | null;
  /** The answers to calls, with the ids that the program sees. */
  readonly results: readonly HeardResult[];
  /** What answers it where it is no turn: a few words, or the least JSON of the shape that it wants. */
  readonly sideAnswer: { readonly text: string; readonly calls: readonly ModelCall[] };
  /** Whether a streamed answer may end with its usage. */
  readonly usageWanted: boolean;
}

/** Why a model's answer ended. */
export type StopReason = "end" | "calls" | "length" | "refused";

/** An answer to write, in our terms. */
export interface WrittenAnswer {
  /** Letters and digits: what ids in the answer are made of. */
  readonly id: string;
  readonly text: string;
  /** With our names; their ids are not used. */
  readonly calls: readonly ModelCall[];
  readonly thinking: string | null;
  readonly stop: StopReason;
  readonly usage: Usage | null;
  readonly model: string;
}

/** What an answer is written for. */
export interface AnswerPlace {
  readonly streaming: Streaming;
  readonly request: AgentRequest;
  readonly place: AgentPlace;
}

/** An answer as it is sent, and the calls that it asks for. */
export interface SentAnswer {
  readonly given: GivenAnswer;
  readonly issued: readonly IssuedCall[];
}

/** An answer of a real model, read from what it sent. */
export type UpstreamAnswer =
  | {
    readonly kind: "answer";
    readonly text: string;
    /** With our names. */
    readonly issued: readonly IssuedCall[];
    readonly thinking: string | null;
    readonly stop: StopReason;
    readonly usage: Usage | null;
    readonly model: string | null;
  }
  | { readonly kind: "unreadable"; readonly why: string };

/** One interface, as its server. Nothing here throws for what a program may send. */
export interface ModelApi {
  readonly name: ModelApiName;
  /** Null where the path is not of this interface. */
  route(request: HeardRequest): ApiRoute | null;
  readRequest(
    route: CompletionRoute,
    place: AgentPlace,
  ): AgentRequest | { readonly kind: "unreadable"; readonly why: string };
  write(answer: WrittenAnswer, about: AnswerPlace): SentAnswer;
  /** Reads the whole body of a successful answer. */
  readAnswer(body: string, about: AnswerPlace): UpstreamAnswer;
  /** Status 400 with the interface's own form of an error. */
  miss(why: string): GivenAnswer;
  /** Headers that carry a key to this interface. */
  keyHeaders(key: string): Readonly<Record<string, string>>;
}
