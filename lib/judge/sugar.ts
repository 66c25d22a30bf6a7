/**
 * Do the short conditions hold: calls that went through, words of the last text and of single
 * replies, approvals asked for? In: facts. Out: one condition each, all required.
 */
import { matchArgs, PatternError } from "../expression/args.ts";
import { containsAny } from "../expression/conversation.ts";
import type { ToolCalled } from "../model/scenario.ts";
import type { ConditionVerdict } from "../model/verdict.ts";
import { condition, eventPlace, required } from "./conditions.ts";
import type { Facts } from "./facts.ts";
import { describeRange, positionOf, rangeOf } from "./plan.ts";

/** Judges `tools_called`, `final_response`, the replies and `approvals_requested`. */
export function judgeSugar(facts: Facts): ConditionVerdict[] {
  const { expected } = facts.loaded.scenario;
  return [
    ...expected.tools_called.map((wanted, i) => judgeToolCalled(facts, wanted, i)),
    ...judgeFinal(facts),
    ...judgeReplies(facts),
    ...judgeApprovals(facts),
  ];
}

function judgeToolCalled(facts: Facts, wanted: ToolCalled, i: number): ConditionVerdict {
  const id = `tools_called:${i + 1}`;
  const at = positionOf(facts.loaded, `expected/tools_called/${i}`);
  const expected = {
    name: wanted.name,
    ...(wanted.args === undefined ? {} : { args: wanted.args }),
  };
  const tried = facts.seen.calls.filter(({ event }) => event.tool === wanted.name);
  try {
    const fitting = tried.filter(({ event }) =>
      wanted.args === undefined || matchArgs(wanted.args, event.args)
    );
    const done = fitting.find(({ event }) => event.status === "ok");
    if (done !== undefined) {
      return condition(id, true, { expected, actual: "done", at: eventPlace(done.index) });
    }
    const nearest = fitting[0] ?? tried[0];
    return condition(id, false, {
      expected,
      actual: nearest === undefined
        ? "never called"
        : { status: nearest.event.status, args: nearest.event.args },
      at: nearest === undefined ? at : eventPlace(nearest.index),
    });
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return required(id, "errored", { expected, actual: error.message, at });
  }
}

function judgeFinal({ loaded, final, run }: Facts): ConditionVerdict[] {
  const wanted = loaded.scenario.expected.final_response;
  const found: ConditionVerdict[] = [];
  const tell = (key: string, passed: boolean, words: readonly string[]) =>
    found.push(condition(`final_response:${key}`, passed, {
      expected: [...words],
      actual: final,
      at: passed || final === ""
        ? positionOf(loaded, `expected/final_response/${key}`)
        : eventPlace(run.events.findLastIndex(isSaid)),
    }));
  const { contains_any: any, contains_all: all, not_contains: none } = wanted;
  if (any !== undefined) tell("contains_any", containsAny(final, any), any);
  if (all !== undefined) tell("contains_all", all.every((word) => containsAny(final, [word])), all);
  if (none !== undefined) tell("not_contains", !containsAny(final, none), none);
  return found;
}

function isSaid(event: Facts["run"]["events"][number]): boolean {
  return event.kind === "message" && event.role === "assistant";
}

function judgeReplies(facts: Facts): ConditionVerdict[] {
  const { replies } = facts.loaded.scenario.expected;
  if (replies.length === 0) return [];
  const said = repliesByTurn(facts);
  return replies.map(({ user, contains }, i) => {
    const reply = said.get(user);
    const id = "final_response:expected_agent_partial";
    return condition(
      replies.length === 1 ? id : `${id}:${i + 1}`,
      reply !== undefined &&
        containsAny(reply.text, [contains]),
      {
        expected: contains,
        actual: reply?.text ?? "the turn was not said",
        at: reply === undefined
          ? positionOf(facts.loaded, `conversation/${user}`)
          : eventPlace(reply.index),
      },
    );
  });
}

interface Reply {
  readonly index: number;
  readonly text: string;
}

/** What the agent said between each user turn of the scenario and the next message of the user. */
function repliesByTurn({ run, loaded }: Facts): Map<number, Reply> {
  const { conversation } = loaded.scenario;
  const replies = new Map<number, Reply>();
  let next = 0;
  let current: number | null = null;
  run.events.forEach((event, index) => {
    if (event.kind !== "message") return;
    if (event.role === "user") {
      const turn = conversation.findIndex((one, i) => i >= next && one.user === event.text);
      current = turn < 0 ? null : turn;
      if (turn < 0) return;
      next = turn + 1;
      replies.set(turn, { index, text: "" });
    } else if (event.role === "assistant" && current !== null) {
      const old = replies.get(current)?.text ?? "";
      replies.set(current, { index, text: old === "" ? event.text : `${old}\n${event.text}` });
    }
  });
  return replies;
}

function judgeApprovals({ loaded, run }: Facts): ConditionVerdict[] {
  const wanted = loaded.scenario.expected.approvals_requested;
  if (wanted === undefined) return [];
  const range = rangeOf(wanted);
  const asked = run.events.filter((event) => event.kind === "approval").length;
  return [condition("approvals_requested", asked >= range.min && asked <= range.max, {
    expected: describeRange(range),
    actual: asked,
    at: positionOf(loaded, "expected/approvals_requested"),
  })];
}
