/**
 * Were the messages sent that should be, and no others? Each sent message answers at most one
 * declared one; the pairing is the best there is. In: facts. Out: judged messages and conditions.
 */
import { decideExpression } from "../expression/compile.ts";
import { entryScope } from "../expression/run_scope.ts";
import type { Severities } from "../model/config.ts";
import { type JsonObject, OUTBOX, outboxOf, own } from "../model/json.ts";
import type { ConditionVerdict, JudgedChange } from "../model/verdict.ts";
import { condition } from "./conditions.ts";
import type { Facts } from "./facts.ts";
import { describeRange, type WantedMessage } from "./plan.ts";
import type { Judged } from "./side_effects.ts";

/** Judges the messages sent; without declared ones none may be. */
export async function judgeMessages(facts: Facts, severities: Severities): Promise<Judged> {
  const { plan, sent } = facts;
  if (plan.messages.length === 0 && sent.length === 0) return { changes: [], conditions: [] };
  const fits = await fitting(facts);
  const pairing = pair(plan.messages, fits, sent.length);
  const changes: JudgedChange[] = [];
  const conditions: ConditionVerdict[] = [];
  plan.messages.forEach((wanted, i) => {
    const count = pairing.filter((one) => one === i).length;
    conditions.push(missingCondition(wanted, count));
    if (count < wanted.range.min) changes.push(missingMessage(wanted, severities));
  });
  sent.forEach((message, i) => {
    const asked = pairing[i] !== null && pairing[i] !== undefined;
    const path = messagePath(facts, message);
    const kind = asked ? "expected" as const : "unrequested_message" as const;
    const severity = asked ? 0 : severities.unrequested_message;
    changes.push({ path, class: kind, severity, op: "added", after: message });
    if (!asked) conditions.push(unrequested(message, path));
  });
  return { changes, conditions };
}

/** For each sent message the declared ones that it could answer. */
async function fitting(facts: Facts): Promise<number[][]> {
  const fits: number[][] = [];
  for (const message of facts.sent) {
    const found: number[] = [];
    for (const [i, wanted] of facts.plan.messages.entries()) {
      if (await answers(facts, message, wanted)) found.push(i);
    }
    fits.push(found);
  }
  return fits;
}

async function answers(
  facts: Facts,
  sent: JsonObject,
  { message }: WantedMessage,
): Promise<boolean> {
  if (own(sent, "to") !== message.to) return false;
  if (message.channel !== undefined && own(sent, "channel") !== message.channel) return false;
  if (message.where === undefined) return true;
  const entry = { value: sent, was: null, path: messagePath(facts, sent) };
  const decided = await decideExpression(message.where, entryScope(facts.scope(), entry));
  return decided.kind === "decided" && decided.value;
}

/** Which declared message each sent one answers: needed ones first, then those still allowed. */
function pair(
  wanted: readonly WantedMessage[],
  fits: readonly (readonly number[])[],
  count: number,
): (number | null)[] {
  const pairing: (number | null)[] = Array.from({ length: count }, () => null);
  for (const limit of ["min", "max"] as const) {
    for (let sent = 0; sent < count; sent++) {
      if (pairing[sent] === null) place(sent, { wanted, fits, pairing, limit, tried: new Set() });
    }
  }
  return pairing;
}

interface Pairing {
  readonly wanted: readonly WantedMessage[];
  readonly fits: readonly (readonly number[])[];
  readonly pairing: (number | null)[];
  readonly limit: "min" | "max";
  readonly tried: Set<number>;
}

/** Finds a place for a sent message, moving others on where that makes room. */
function place(sent: number, context: Pairing): boolean {
  const { wanted, fits, pairing, limit, tried } = context;
  for (const i of fits[sent] ?? []) {
    if (tried.has(i)) continue;
    tried.add(i);
    const holders = pairing.flatMap((one, holder) => one === i ? [holder] : []);
    const room = holders.length < (wanted[i]?.range[limit] ?? 0);
    if (room || holders.some((holder) => place(holder, context))) {
      pairing[sent] = i;
      return true;
    }
  }
  return false;
}

function messagePath({ run, sent }: Facts, message: JsonObject): string {
  const at = outboxOf(run.state.after).indexOf(message);
  return `${OUTBOX}/${at < 0 ? sent.indexOf(message) : at}`;
}

function missingCondition(wanted: WantedMessage, count: number): ConditionVerdict {
  const { message, range, at } = wanted;
  return condition(`missing_message:${message.to}`, count >= range.min, {
    expected: `${describeRange(range)} sent ${describe(message)}`,
    actual: `${count} sent`,
    at,
    ...(message.where === undefined ? {} : { expression: message.where }),
  });
}

function missingMessage({ message }: WantedMessage, severities: Severities): JudgedChange {
  return {
    path: OUTBOX,
    class: "missing_message",
    severity: severities.missing_message,
    op: "absent",
    expected: JSON.parse(JSON.stringify(message)),
  };
}

function unrequested(message: JsonObject, path: string): ConditionVerdict {
  const to = own(message, "to");
  const name = typeof to === "string" ? to : to === undefined ? "" : JSON.stringify(to);
  return condition(`unrequested_message:${name}`, false, {
    expected: "not sent",
    actual: message,
    at: path,
  });
}

function describe({ to, channel }: WantedMessage["message"]): string {
  return channel === undefined ? `to "${to}"` : `to "${to}" by ${channel}`;
}
