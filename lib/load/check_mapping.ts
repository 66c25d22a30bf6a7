/**
 * Can an agent that listens be talked to as its entry says? The expressions of its own interface name
 * what there is and say something; its address is one; what would not be used is refused.
 */
import { agentRequestShape, agentResponseShape } from "../expression/expression_shape.ts";
import type { HttpAgentConfig } from "../model/config.ts";
import type { Aimed, Checker } from "./checker.ts";
import { fieldsNamed } from "./expression_fields.ts";
import { expressionProblems } from "./expression_problems.ts";
import type { KeyPath } from "./source.ts";

/** Checks one agent of kind http; `at` leads to its entry. */
export function checkMapping(
  checker: Checker,
  at: KeyPath,
  { base_url, request, response, stream, tools_port, model_port }: HttpAgentConfig,
): void {
  const { source, problems } = checker;
  const say = (key: string, finding: Aimed) => checker.say([...at, key], finding);
  if (typeof base_url === "string" && !isAddress(base_url)) say("base_url", NO_ADDRESS);
  if (stream && (request !== undefined || response !== undefined)) say("stream", NOT_STREAMED);
  if (tools_port !== undefined && tools_port === model_port) say("model_port", SAME_PORT);
  if (request !== undefined) {
    const path = [...at, "request"];
    const found = expressionProblems(source, { path, text: request, shape: agentRequestShape() });
    problems.push(...found);
    const names = fieldsNamed(request);
    const told = names?.has("text") === true || names?.has("messages") === true;
    if (found.length === 0 && !told) say("request", SAYS_NOTHING);
  }
  if (response !== undefined) {
    const path = [...at, "response"];
    const found = expressionProblems(source, { path, text: response, shape: agentResponseShape() });
    problems.push(...found);
    if (found.length === 0 && fieldsNamed(response)?.size === 0) say("response", READS_NOTHING);
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

const NO_ADDRESS: Aimed = {
  code: "bad-address",
  what:
    "The agent cannot be reached there: expected an address that begins with http:// or https://",
  fix: "write it as http://127.0.0.1:8080/v1, or name a variable, {env: AGENT_URL}",
};

const NOT_STREAMED: Aimed = {
  code: "unused-key",
  aim: "key",
  what:
    "`stream` belongs to an OpenAI-compatible agent: one with `request` or `response` answers whole",
  fix: "remove `stream`",
};

const SAME_PORT: Aimed = {
  code: "same-port",
  what: "`tools_port` and `model_port` are the same: two servers cannot listen there",
  fix: "choose another port for one of them",
};

const SAYS_NOTHING: Aimed = {
  code: "constant-expression",
  what: "The request does not say what the user said",
  fix: 'name `text` or `messages`, such as {"message": text, "conversation": session}',
};

const READS_NOTHING: Aimed = {
  code: "constant-expression",
  what: "The response names nothing of the answer, so every answer is the same",
  fix: 'name what the agent answers with, such as {"text": reply}',
};
