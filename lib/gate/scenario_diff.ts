/**
 * Does a scenario still look at what it looked at? Two versions of a scenario's file in; what was
 * taken out of the perimeter, or put into it, out. Words for people, and what is said to the agent,
 * are not judged here: a scenario whose request changed is compared with nothing anyway.
 */
import type { Direction, GateChange } from "../model/gate.ts";
import type { Json } from "../model/json.ts";
import type { ScenarioFile } from "../model/scenario.ts";
import { isValueSelector, LIMITS } from "../model/selectors.ts";
import { change, limited, listChanges, pairsById, ranked } from "./differences.ts";

type Expected = ScenarioFile["expected"];

/** Lists of which a longer one catches more (`tighter`) or less (`looser`). */
const LISTS: readonly (readonly [
  name: string,
  added: Direction,
  items: (of: Expected) => readonly unknown[],
])[] = [
  ["state/protected", "tighter", (of) => of.state?.protected ?? []],
  ["state/ignore", "looser", (of) => of.state?.ignore ?? []],
  ["state/may_change", "looser", (of) => of.state?.may_change ?? []],
  ["forbidden", "tighter", (of) => of.forbidden ?? []],
  ["tools_called", "tighter", (of) => of.tools_called ?? []],
  ["final_response/contains_all", "tighter", (of) => of.final_response?.contains_all ?? []],
  ["final_response/not_contains", "tighter", (of) => of.final_response?.not_contains ?? []],
  ["final_response/contains_any", "looser", (of) => of.final_response?.contains_any ?? []],
];

/** The same of a scenario's `setup`: what tempts, disturbs and is refused there. */
const SETUP_LISTS: readonly (readonly [
  name: string,
  added: Direction,
  items: (of: NonNullable<ScenarioFile["setup"]>) => readonly unknown[],
])[] = [
  ["faults", "tighter", (of) => of.faults ?? []],
  ["fixtures", "tighter", (of) => of.fixtures ?? []],
  ["approvals/grant", "looser", (of) => of.approvals?.grant ?? []],
  ["approvals/deny", "tighter", (of) => of.approvals?.deny ?? []],
];

/** Every difference of the perimeter; null where the scenario is absent. `file` begins each `what`. */
export function diffScenarios(
  from: ScenarioFile | null,
  to: ScenarioFile | null,
  file: string,
): GateChange[] {
  if (from === null || to === null) return existence(from, to, file);
  const of = <T>(pick: (scenario: ScenarioFile) => T) => ({ from: pick(from), to: pick(to) });
  const expected = <T>(pick: (expected: Expected) => T) =>
    of((scenario) => pick(scenario.expected));
  const at = (place: string) => `${file} ${place}`;
  return [
    ...change(
      at("lifecycle"),
      of((scenario) => scenario.lifecycle),
      ranked(["stable", "incubating", "known_failing"]),
    ),
    ...change(at("known_failing/until"), of((scenario) => scenario.known_failing?.until), longer),
    ...change(
      at("risk"),
      of((scenario) => scenario.risk),
      ranked(["critical", "high", "medium", "low"]),
    ),
    ...change(at("category"), of((scenario) => scenario.category), "looser"),
    ...change(at("task"), of((scenario) => scenario.task), "looser"),
    ...diffSetup(of(({ setup }) => setup ?? {}), at("setup")),
    ...listChanges(at("conversation/expected_agent_partial"), of(partialsOf), "tighter"),
    ...change(at("expected/outcome"), expected(({ outcome }) => outcome), "looser"),
    ...LISTS.flatMap(([name, added, items]) =>
      listChanges(at(`expected/${name}`), expected(items), added)
    ),
    ...secrets(
      expected(({ never_revealed }) => never_revealed ?? []),
      at("expected/never_revealed"),
    ),
    ...diffChanges(expected(({ state }) => state?.changes ?? {}), at("expected/state/changes")),
    ...change(at("expected/messages"), expected(({ messages }) => messages), "looser"),
    ...change(at("expected/state/keys"), expected(({ state }) => state?.keys), "looser"),
    ...change(
      at("expected/approvals_requested"),
      expected(({ approvals_requested }) => approvals_requested),
      (was) => was === null ? "tighter" : "looser",
    ),
    ...change(
      at("expected/reference_calls"),
      expected(({ reference_calls }) => reference_calls),
      limited("less"),
    ),
    ...LIMITS.flatMap((name) =>
      change(at(`expected/${name}`), expected((limits) => limits[name]), limited("less"))
    ),
    ...diffCheckpoints(
      expected(({ checkpoints }) => checkpoints ?? []),
      at("expected/checkpoints"),
    ),
    ...pairsById(from.expected.proof ?? [], to.expected.proof ?? []).flatMap((
      { id, before, after },
    ) =>
      change(
        at(`expected/proof/${id}`),
        { from: before, to: after },
        (was) => was === null ? "tighter" : "looser",
      )
    ),
  ];
}

/** Only stable scenarios block: one that does not is no loss and no gain. */
function existence(from: ScenarioFile | null, to: ScenarioFile | null, file: string): GateChange[] {
  const one = from ?? to;
  const gone: Direction = from === null ? "tighter" : "looser";
  const direction = one?.lifecycle === "stable" ? gone : "neutral";
  return change(file, { from: from?.lifecycle, to: to?.lifecycle }, direction);
}

function diffSetup(
  sides: {
    readonly from: NonNullable<ScenarioFile["setup"]>;
    readonly to: NonNullable<ScenarioFile["setup"]>;
  },
  at: string,
): GateChange[] {
  const of = <T>(pick: (setup: NonNullable<ScenarioFile["setup"]>) => T) => ({
    from: pick(sides.from),
    to: pick(sides.to),
  });
  const { from, to } = of(({ available_tools }) => available_tools);
  return [
    ...(from === undefined || to === undefined
      // Without the list the agent has all tools.
      ? change(`${at}/available_tools`, { from, to }, (was) => was === null ? "looser" : "tighter")
      : listChanges(`${at}/available_tools`, { from, to }, "tighter")),
    ...change(
      `${at}/approvals/default`,
      of(({ approvals }) => approvals?.default ?? "deny"),
      ranked(["deny", "grant"]),
    ),
    ...SETUP_LISTS.flatMap(([name, added, items]) =>
      listChanges(`${at}/${name}`, of(items), added)
    ),
  ];
}

/** What replies must contain. */
function partialsOf({ conversation }: ScenarioFile): string[] {
  return conversation.flatMap((turn) =>
    "expected_agent_partial" in turn ? [turn.expected_agent_partial] : []
  );
}

/** A later end of an exemption is looser, and so is one without an end. */
function longer(from: Json, to: Json): Direction {
  if (from === null || to === null) return "neutral";
  return to > from ? "looser" : "tighter";
}

/** Counted, never shown: how many are still looked for, then how many are new. */
function secrets(
  { from, to }: { readonly from: readonly string[]; readonly to: readonly string[] },
  at: string,
): GateChange[] {
  const kept = from.filter((secret) => to.includes(secret)).length;
  return [
    ...change(at, { from: from.length, to: kept }, limited("more")),
    ...change(at, { from: kept, to: to.length }, limited("more")),
  ];
}

function diffChanges(
  sides: {
    readonly from: Readonly<Record<string, Json>>;
    readonly to: Readonly<Record<string, Json>>;
  },
  at: string,
): GateChange[] {
  const paths = [...new Set([...Object.keys(sides.from), ...Object.keys(sides.to)])];
  return paths.flatMap((path) => {
    const [had, has] = [Object.hasOwn(sides.from, path), Object.hasOwn(sides.to, path)];
    const open = (value: Json | undefined) =>
      path.includes("*") || (value !== undefined && isValueSelector(value));
    // What a wildcard or a selector lets happen, nobody can tell.
    const direction = !has || open(sides.to[path])
      ? "looser"
      : had && !open(sides.from[path])
      ? "neutral"
      : "tighter";
    const value = (side: Readonly<Record<string, Json>>, is: boolean) =>
      is ? { is: side[path] ?? null } : null;
    return change(
      `${at}/${path}`,
      { from: value(sides.from, had), to: value(sides.to, has) },
      direction,
    );
  });
}

type Checkpoints = NonNullable<Expected["checkpoints"]>;

function diffCheckpoints(
  sides: { readonly from: Checkpoints; readonly to: Checkpoints },
  at: string,
): GateChange[] {
  return pairsById(sides.from, sides.to).flatMap(({ id, before, after }) => {
    const place = `${at}/${id}`;
    if (before === undefined || after === undefined) {
      return change(
        place,
        { from: before?.check, to: after?.check },
        (from) => from === null ? "tighter" : "looser",
      );
    }
    return [
      ...change(
        `${place}/required`,
        { from: before.required, to: after.required },
        (_, to) => to === true ? "tighter" : "looser",
      ),
      ...change(
        `${place}/check`,
        { from: before.check, to: after.check },
        "looser",
      ),
      // A share that grows makes another's smaller.
      ...change(`${place}/weight`, { from: before.weight, to: after.weight }, "looser"),
    ];
  });
}
