/**
 * What does one scenario ask, in plain words? A loaded scenario in; out for a terminal, in the
 * locale: what is said in which world, what may be called, what goes wrong, what must and must not
 * change, what is forbidden, every condition with its expression, limits. Secrets are counted only.
 */
import { FILES, isObject, type JsonObject, recordsOf } from "../model/json.ts";
import type { State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Approvals, CountRange, Fault, Forbidden, Scenario } from "../model/scenario.ts";
import { isValueSelector } from "../model/selectors.ts";
import { toolEffect } from "../model/tool.ts";
import { escapeTerminal } from "./escape.ts";
import { createFormat, type Format } from "./format.ts";
import { shortJson } from "./short_json.ts";
import type { View } from "./voice.ts";
import { type ExplainWords, explainWords, LIFECYCLES } from "./words_explain.ts";

const VALUE_MAX = 400;
const LINE_MAX = 4_000;

interface Teller {
  readonly words: ExplainWords;
  readonly format: Format;
  readonly loaded: LoadedScenario;
}

/** The explanation, ending with a line feed. */
export function renderExplanation(
  loaded: LoadedScenario,
  { locale, zone, currency }: View & { readonly currency: string },
): string {
  const { scenario, suite } = loaded;
  const words = explainWords(locale);
  const teller = { words, format: createFormat(locale, zone, currency), loaded };
  const { kind, anonymised, ref } = scenario.origin;
  const origin = [kind, ...(anonymised === true ? [words.anonymised] : []), ...(ref ? [ref] : [])];
  const lifecycle = LIFECYCLES[locale][scenario.lifecycle];
  const { sections } = words;
  const lines = [
    `${scenario.id}: ${scenario.description}`,
    words.head(suite, String(scenario.version)),
    words.kinds(scenario.category, scenario.task, scenario.risk, lifecycle),
    words.origin(origin.join(", ")),
    ...section(sections.conversation, saidLines(teller), true),
    ...section(sections.world, worldLines(teller)),
    ...section(sections.tools, toolLines(teller)),
    ...section(sections.approvals, approvalLines(teller)),
    ...section(sections.faults, scenario.setup.faults.map((fault) => faultLine(fault, teller))),
    ...section(sections.outcome, [
      `${scenario.expected.outcome}: ${words.outcomes[scenario.expected.outcome]}`,
    ]),
    ...stateSections(teller),
    ...section(sections.messages, messageLines(teller)),
    ...section(sections.forbidden, forbiddenLines(teller)),
    ...section(sections.required, requiredLines(teller)),
    ...section(sections.weighed, weighedLines(scenario, words)),
    ...section(sections.limits, limitLines(teller)),
    ...section(
      sections.soft,
      scenario.expected.rubric.map(({ id, ask, accept }) => `${id}: ${words.accept(ask, accept)}`),
    ),
  ];
  return `${lines.map((line) => escapeTerminal(line, LINE_MAX)).join("\n")}\n`;
}

function section(title: string, lines: readonly string[], numbered = false): string[] {
  if (lines.length === 0) return [];
  return ["", title, ...lines.map((line, i) => numbered ? `  ${i + 1}. ${line}` : `  - ${line}`)];
}

function saidLines({ words, format, loaded }: Teller): string[] {
  return loaded.scenario.conversation.map((turn) => {
    const when = turn.if === undefined ? "" : words.onlyIf(turn.if);
    const after = turn.after_calls === undefined ? "" : words.afterCalls(format, turn.after_calls);
    return words.said(turn.user, `${when}${after}`);
  });
}

function worldLines({ words, loaded }: Teller): string[] {
  const { setup, agent } = loaded.scenario;
  const told = (["autonomy", "channel", "workspace_state", "policy_preset"] as const)
    .flatMap((name) => setup[name] === undefined ? [] : [words.told(name, setup[name])]);
  const files = Object.keys(recordsOf(loaded.state ?? {}, FILES));
  return [
    words.clock(setup.clock),
    ...told,
    ...(agent === undefined ? [] : [words.agent(agent)]),
    setup.state === undefined || loaded.state === null
      ? words.emptyState
      : words.state(setup.state, contentOf(loaded.state)),
    ...(files.length > 0 && files.length <= 12 ? [words.files(files.join(", "))] : []),
  ];
}

function contentOf(state: State): string {
  return Object.entries(state).map(([name, records]) => {
    const count = Array.isArray(records)
      ? records.length
      : isObject(records)
      ? Object.keys(records).length
      : 0;
    return `${name} (${count})`;
  }).join(", ");
}

function toolLines({ words, loaded }: Teller): string[] {
  const { available_tools } = loaded.scenario.setup;
  return toolEffect.options.flatMap((effect) => {
    const names = available_tools.filter((name) =>
      Object.hasOwn(loaded.tools, name) && loaded.tools[name]?.effect === effect
    );
    return names.length === 0 ? [] : [`${words.effects[effect]}: ${names.join(", ")}`];
  });
}

function approvalLines({ words, format, loaded }: Teller): string[] {
  const { approvals, available_tools } = loaded.scenario.setup;
  const asking = available_tools.filter((name) =>
    Object.hasOwn(loaded.tools, name) && loaded.tools[name]?.approval === "required"
  );
  if (asking.length === 0) return [];
  const listed = (entries: Approvals["grant"]) =>
    (entries ?? []).map((entry) => {
      if (typeof entry === "string") return entry;
      const args = entry.args === undefined ? "" : words.withArgs(shownArgs(entry.args));
      const times = entry.times === undefined ? "" : words.times(format, entry.times);
      return `${entry.tool}${args}${times}`;
    });
  return [
    `${asking.join(", ")}: ${words.approvalDefault[approvals.default]}`,
    ...listed(approvals.grant).map(words.granted),
    ...listed(approvals.deny).map(words.denied),
  ];
}

function faultLine(fault: Fault, { words, format }: Teller): string {
  const which = fault.call === undefined ? words.everyCall : words.nth(format, fault.call);
  const args = fault.args === undefined ? "" : words.withArgs(shownArgs(fault.args));
  const text = fault.kind === "inject" ? words.said(fault.text, "") : "";
  const what = `${words.faults[fault.kind]}${text === "" ? "" : `: ${text}`}`;
  return words.faultOf(fault.tool, `${which}${args}`, what);
}

function stateSections({ words, format, loaded }: Teller): string[] {
  const state = loaded.scenario.expected.state ?? {};
  const changes = Object.entries(state.changes ?? {}).map(([path, value]) => {
    if (isValueSelector(value)) {
      const count = counted(value.count ?? 1, words, format);
      return `${words.entries(count, path)}${words.where(value.where)}`;
    }
    if (value === null) return words.absent(path);
    return path.includes("*")
      ? `${words.entries(counted(1, words, format), path)}: ${shown(value)}`
      : words.becomes(path, shown(value));
  });
  const keys = Object.entries(state.keys ?? {}).map(([list, field]) => words.listKey(list, field));
  const { sections } = words;
  return [
    ...section(sections.changes, [...changes, ...keys]),
    ...section(sections.may, state.may_change ?? []),
    ...section(sections.ignored, state.ignore ?? []),
    ...section(sections.protected, [...(state.protected ?? []), words.nothingElse]),
  ];
}

function messageLines({ words, format, loaded }: Teller): string[] {
  const { messages } = loaded.scenario.expected;
  if (messages.length === 0) return [words.noMessages];
  return messages.map(({ to, channel, count, where }) =>
    [
      words.message(counted(count, words, format), to),
      channel === undefined ? "" : words.by(channel),
      where === undefined ? "" : words.where(where),
    ].join("")
  );
}

function forbiddenLines({ words, format, loaded }: Teller): string[] {
  const { forbidden, never_revealed } = loaded.scenario.expected;
  const secrets = never_revealed?.length ?? 0;
  return [
    ...(forbidden ?? []).map((rule) => forbiddenLine(rule, words, format)),
    ...(secrets === 0 ? [] : [words.secrets(format, secrets)]),
  ];
}

function forbiddenLine(rule: Forbidden, words: ExplainWords, format: Format): string {
  if (typeof rule === "string") return words.anyCall(rule);
  if ("command" in rule) return words.command(rule.command);
  const call = rule.args === undefined
    ? words.anyCall(rule.tool)
    : words.call(rule.tool, shownArgs(rule.args));
  return rule.more_than === undefined ? call : `${call}${words.moreThan(format, rule.more_than)}`;
}

function requiredLines({ words, format, loaded }: Teller): string[] {
  const { expected } = loaded.scenario;
  const { contains_any, contains_all, not_contains } = expected.final_response;
  const quoted = (list: readonly string[]) => list.map((word) => shown(word)).join(", ");
  return [
    ...expected.tools_called.map(({ name, args }) =>
      words.goneThrough(
        args === undefined ? words.someCall(name) : words.call(name, shownArgs(args)),
      )
    ),
    ...(contains_any === undefined ? [] : [words.containsAny(quoted(contains_any))]),
    ...(contains_all === undefined ? [] : [words.containsAll(quoted(contains_all))]),
    ...(not_contains === undefined ? [] : [words.notContains(quoted(not_contains))]),
    ...expected.replies.map(({ user, contains }) =>
      words.reply(format.number(user + 1), shown(contains))
    ),
    ...(expected.approvals_requested === undefined
      ? []
      : [words.approvals(counted(expected.approvals_requested, words, format))]),
    ...(expected.checkpoints ?? []).filter(({ required }) => required)
      .map(({ id, check, weight }) => checkLine(id, check, words.weight(format.number(weight)))),
    ...(expected.proof ?? []).map(({ id, run, exit }) =>
      `${id}: ${words.proof(run.join(" "), String(exit))}`
    ),
  ];
}

function weighedLines({ expected }: Scenario, words: ExplainWords): string[] {
  return (expected.checkpoints ?? []).filter(({ required }) => !required)
    .map(({ id, check, weight }) => checkLine(id, check, words.weight(String(weight))));
}

function checkLine(id: string, check: string, weight: string): string {
  return `${id} (${weight}): ${check}`;
}

function limitLines({ words, format, loaded }: Teller): string[] {
  const { expected } = loaded.scenario;
  const { limits } = words;
  const lines: string[] = [];
  if (expected.calls_max !== undefined) lines.push(limits.calls(format, expected.calls_max));
  if (expected.repeats_max !== undefined) lines.push(limits.repeats(format, expected.repeats_max));
  if (expected.cost_max_eur !== undefined) lines.push(limits.cost(`${expected.cost_max_eur} EUR`));
  if (expected.cost_max_usd !== undefined) lines.push(limits.cost(`${expected.cost_max_usd} USD`));
  if (expected.latency_max_ms !== undefined) {
    lines.push(limits.latency(format.duration(expected.latency_max_ms)));
  }
  if (expected.reference_calls !== undefined) {
    lines.push(limits.reference(format, expected.reference_calls));
  }
  return lines;
}

function counted(count: CountRange, words: ExplainWords, format: Format): string {
  return typeof count === "number"
    ? words.exactly(format, count)
    : words.between(format, count[0], count[1]);
}

function shown(value: JsonObject[string]): string {
  return shortJson(value, VALUE_MAX);
}

/** Arguments as `name: value`; a pattern stands between slashes. */
function shownArgs(args: JsonObject): string {
  return Object.entries(args).map(([name, value]) => {
    const pattern = isObject(value) && Object.keys(value).length === 1 ? value.matches : undefined;
    return `${name}: ${typeof pattern === "string" ? `/${pattern}/` : shown(value)}`;
  }).join(", ");
}
