/**
 * What does the user say next? Takes the turns of the scenario's conversation in order: conditional
 * ones are decided over the run so far, those with `after_calls` interrupt at their call. Every turn
 * that is not said is shown as a notice; a condition that cannot be decided ends the run.
 */
import { decideExpression } from "../expression/compile.ts";
import type { Ended, RunEvent } from "../model/run.ts";
import type { UserTurn } from "../model/scenario.ts";
import type { Episode } from "./episode.ts";

/** The next turn's text; `over` where none is left, `undecided` where a condition has no answer. */
export type NextTurn =
  | { readonly kind: "said"; readonly text: string; readonly notices: readonly string[] }
  | { readonly kind: "over"; readonly notices: readonly string[] }
  | { readonly kind: "undecided"; readonly why: string };

/** Takes the next turn after the agent has ended its own; interruptions whose call never came are passed over. */
export function nextTurn(episode: Episode): Promise<NextTurn> {
  return take(episode, { pending: [], fits: (turn) => turn.after_calls === undefined });
}

/** Takes the turn that answers a question asked by a tool; `pending` is that call, not recorded yet. */
export function nextAnswer(episode: Episode, pending: RunEvent): Promise<NextTurn> {
  const fits = (turn: UserTurn) =>
    turn.after_calls === undefined || turn.after_calls <= episode.callsInTurn;
  return take(episode, { pending: [pending], fits });
}

/** Takes the turn that interrupts after the call just recorded; `over` where none does. */
export async function nextInterruption(episode: Episode): Promise<NextTurn> {
  const notices: string[] = [];
  for (let turn = head(episode); turn !== undefined; turn = head(episode)) {
    if (turn.after_calls === undefined || turn.after_calls > episode.callsInTurn) break;
    episode.next++;
    const decided = await decide(episode, turn, []);
    if (decided.kind === "undecided") return decided;
    if (decided.said) return { kind: "said", text: turn.user, notices };
    notices.push(decided.notice);
  }
  return { kind: "over", notices };
}

/** How a run ends whose conversation is over by itself. */
export function conversationOver(episode: Episode): Ended {
  if (episode.turn > 0) return { kind: "completed" };
  return { kind: "environment_error", detail: "No user turn was said: every condition was false" };
}

interface Choice {
  readonly pending: readonly RunEvent[];
  readonly fits: (turn: UserTurn) => boolean;
}

async function take(episode: Episode, { pending, fits }: Choice): Promise<NextTurn> {
  const notices: string[] = [];
  for (let turn = head(episode); turn !== undefined; turn = head(episode)) {
    episode.next++;
    if (!fits(turn)) {
      notices.push(
        `User turn not said: ${quoted(turn)}, call ${turn.after_calls} of the turn never came`,
      );
      continue;
    }
    const decided = await decide(episode, turn, pending);
    if (decided.kind === "undecided") return decided;
    if (decided.said) return { kind: "said", text: turn.user, notices };
    notices.push(decided.notice);
  }
  return { kind: "over", notices };
}

type Decision =
  | { readonly kind: "decided"; readonly said: boolean; readonly notice: string }
  | { readonly kind: "undecided"; readonly why: string };

async function decide(
  episode: Episode,
  turn: UserTurn,
  pending: readonly RunEvent[],
): Promise<Decision> {
  if (turn.if === undefined) return { kind: "decided", said: true, notice: "" };
  const decided = await decideExpression(turn.if, episode.scope(pending));
  if (decided.kind === "undecided") {
    const why = `User turn ${
      quoted(turn)
    }: its condition "${turn.if}" is undecided: ${decided.why}`;
    return { kind: "undecided", why };
  }
  const notice = `User turn not said: ${quoted(turn)}, its condition "${turn.if}" is false`;
  return { kind: "decided", said: decided.value, notice };
}

function head(episode: Episode): UserTurn | undefined {
  return episode.loaded.scenario.conversation[episode.next];
}

function quoted(turn: UserTurn): string {
  return JSON.stringify(turn.user);
}
