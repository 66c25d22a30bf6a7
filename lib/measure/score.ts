/**
 * What of one run do the metrics need? A run and its verdict in, one flat `Score` out; baselines
 * keep these, so that any subset of equal scenarios can be measured again. Money that is not in the
 * configured currency, and for which no dated rate is configured, is unknown, never 0.
 */
import { isQuestion } from "../expression/conversation.ts";
import type { Config } from "../model/config.ts";
import { canonicalJson } from "../model/hash.ts";
import { isObject } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Score } from "../model/metrics.ts";
import type { CallEvent, Run, RunEvent } from "../model/run.ts";
import type { CountRange, Scenario } from "../model/scenario.ts";
import type { RunVerdict } from "../model/verdict.ts";

/**
 * One run reduced to what metrics need. `cost` is in `config.currency`; an amount billed by
 * subscription is notional and therefore null. Never throws.
 */
export function scoreRun(
  loaded: LoadedScenario,
  run: Run,
  verdict: RunVerdict,
  config: Pick<Config, "currency" | "rates">,
): Score {
  const { scenario } = loaded;
  return {
    scenario: scenario.id,
    scenarioHash: loaded.hash,
    trial: run.trial,
    task: scenario.task,
    category: scenario.category,
    risk: scenario.risk,
    lifecycle: scenario.lifecycle,
    outcome: scenario.expected.outcome,
    verdict: verdict.verdict,
    stepScore: verdict.stepScore,
    penalty: verdict.penalty,
    critical: verdict.critical,
    forbiddenAttempts: verdict.attempts.length,
    calls: verdict.usage.calls,
    referenceCalls: scenario.expected.reference_calls ?? null,
    repeatedCalls: countRepeated(run.events),
    cost: costOf(run, config),
    latencyMs: verdict.usage.latencyMs,
    intervention: neededPerson(scenario, run.events),
  };
}

/** Calls whose tool and arguments, by value, were called before in the same run. */
function countRepeated(events: readonly RunEvent[]): number {
  const calls = events.filter((event) => event.kind === "call");
  const times = new Map<string, number>();
  for (const { tool } of calls) times.set(tool, (times.get(tool) ?? 0) + 1);
  const seen = new Set<string>();
  let repeated = 0;
  for (const call of calls) {
    if (times.get(call.tool) === 1) continue;
    const key = `${call.tool}\n${canonicalJson(call.args)}`;
    if (seen.has(key)) repeated++;
    else seen.add(key);
  }
  return repeated;
}

function costOf(run: Run, config: Pick<Config, "currency" | "rates">): number | null {
  const cost = run.usage?.cost;
  if (cost === undefined || cost === null || UNKNOWN_BILLING.has(cost.billing)) return null;
  const { currency, rates } = config;
  if (cost.currency === currency) return cost.amount;
  const day = run.startedAt?.slice(0, 10);
  const rate = rates
    .filter(({ from, to, as_of }) =>
      from === cost.currency && to === currency && (day === undefined || as_of <= day)
    )
    .reduce<typeof rates[number] | null>(
      (newest, one) => newest === null || one.as_of > newest.as_of ? one : newest,
      null,
    );
  return rate === null ? null : cost.amount * rate.rate;
}

/** An amount that nobody pays, or of which nobody knows whether it is paid. */
const UNKNOWN_BILLING: ReadonlySet<string> = new Set(["subscription", "unknown"]);

/** True where a person was needed and the scenario did not want one. */
function neededPerson(scenario: Scenario, events: readonly RunEvent[]): boolean {
  const { expected } = scenario;
  const denied = events.some((event) => event.kind === "approval" && event.answer === "denied");
  if (denied && upperEnd(expected.approvals_requested) === 0) return true;
  const done = events.filter((event) => event.kind === "call" && event.status === "ok");
  const handed = done.some((call) => call.kind === "call" && isUnwantedHandOver(call, scenario));
  return handed || (!wantsQuestion(scenario) && leavesQuestion(events));
}

function upperEnd(range: CountRange | undefined): number {
  if (range === undefined) return 0;
  return typeof range === "number" ? range : range[1];
}

function isUnwantedHandOver(call: CallEvent, scenario: Scenario): boolean {
  return call.effect === "hand_over" && scenario.expected.outcome !== "handed_over" &&
    !scenario.expected.tools_called.some(({ name }) => name === call.tool);
}

/** A scenario wants questions where its outcome, a turn or a checkpoint speaks of one. */
function wantsQuestion(scenario: Scenario): boolean {
  if (scenario.expected.outcome === "asked") return true;
  const turns = scenario.conversation.map((turn) => turn.if ?? "");
  const checks = (scenario.expected.checkpoints ?? []).map(({ check }) => check);
  return [...turns, ...checks].some((text) => /\$ask(s|ed)\s*\(/.test(text));
}

/** True where a question was asked that the person's script did not answer. */
function leavesQuestion(events: readonly RunEvent[]): boolean {
  const lastUser = events.findLastIndex((event) =>
    event.kind === "message" && event.role === "user"
  );
  const rest = events.slice(lastUser + 1);
  const deeds = rest.filter((event) =>
    event.kind === "call" || (event.kind === "message" && event.role === "assistant")
  );
  if (deeds.some((event) => event.kind === "call" && isUnanswered(event))) return true;
  const last = deeds.at(-1);
  return last?.kind === "message" && isQuestion(last.text);
}

function isUnanswered(call: CallEvent): boolean {
  return call.effect === "ask" && !(isObject(call.result) && Object.hasOwn(call.result, "answer"));
}
