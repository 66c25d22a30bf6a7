/**
 * Which conversation did the loop agent have with its model? A model in; the same model out, and after
 * each of its answers the conversation as it then stands, with what is known of every answer.
 */
import type { Model, ModelAnswer, ModelRequest } from "../model/ports.ts";
import { type AnswerFacts, recordedUsage, type ToldConversation } from "./recorded_conversation.ts";

type Answered = ModelAnswer & { readonly kind: "answer" };

/** The model, whose conversation is told after each answer. */
export function tellingModel(model: Model, tell: (told: ToldConversation) => void): Model {
  const facts = new Map<number, AnswerFacts>();
  return {
    complete: async (request, signal) => {
      const answer = await model.complete(request, signal);
      if (answer.kind === "answer") tell(toldBy(request, answer, facts));
      return answer;
    },
    leftOver: (messages) => model.leftOver(messages),
  };
}

function toldBy(
  { messages, tools }: ModelRequest,
  answer: Answered,
  facts: Map<number, AnswerFacts>,
): ToldConversation {
  const spoken = messages.filter(({ role }) => role !== "system");
  const system = messages.filter((message) => message.role === "system")
    .map(({ text }) => text).join("\n");
  facts.set(spoken.length, factsOf(answer));
  const { text, calls } = answer;
  return {
    messages: [...spoken, { role: "assistant", text, calls }],
    facts: new Map(facts),
    system,
    tools,
  };
}

function factsOf({ usage, latencyMs, stop, thinking }: Answered): AnswerFacts {
  return {
    ...recordedUsage(usage),
    ...(latencyMs === null ? {} : { latencyMs }),
    ...(stop === undefined ? {} : { stop }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}
