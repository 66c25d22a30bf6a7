/**
 * Can the rules of a gate do what they seem to? Expressions that name no metric, rules that can
 * never fail or never hold, and groups that do not exist are refused.
 */
import { gateShape } from "../expression/expression_shape.ts";
import type { Gate, GateRule } from "../model/gate.ts";
import type { Problem } from "../model/problem.ts";
import { category } from "../model/scenario.ts";
import { Checker } from "./checker.ts";
import { expressionProblems } from "./expression_problems.ts";
import type { KeyPath, SourceFile } from "./source.ts";
import { Thresholds } from "./thresholds.ts";

/** Problems of a gate beyond its shape. */
export function checkGate(source: SourceFile, gate: Gate): Problem[] {
  const checker = new Checker(source);
  checker.unique(gate.rules.map((rule) => rule.id), (index) => ["rules", index, "id"], "Rule");
  const offline = gate.rules.filter((rule) => rule.stage === "offline");
  if (offline.length === 0) {
    checker.say(["rules"], {
      code: "nothing-judged",
      aim: "key",
      what: 'No rule has the stage "offline": every run would pass this gate unjudged',
      fix: "add a rule without `stage`",
    });
  } else if (!offline.some((rule) => rule.level === "block")) {
    checker.say(["rules"], {
      code: "nothing-blocks",
      severity: "warning",
      aim: "key",
      what: 'No rule has the level "block": this gate never stops a release',
      fix: "give at least one rule `level: block`",
    });
  }
  const problems = gate.rules.flatMap((rule, index) => checkRule(source, checker, { rule, index }));
  return [...checker.problems, ...problems];
}

function checkRule(
  source: SourceFile,
  checker: Checker,
  { rule, index }: { readonly rule: GateRule; readonly index: number },
): Problem[] {
  const path: KeyPath = ["rules", index];
  checkOnly(checker, path, rule);
  const at = [...path, "require"];
  const problems = expressionProblems(source, {
    path: at,
    text: rule.require,
    shape: gateShape(rule.for_each ?? null),
  });
  if (problems.some((problem) => problem.severity === "error")) return problems;
  for (const finding of new Thresholds(rule.require).findings()) checker.say(at, finding);
  return problems;
}

function checkOnly(checker: Checker, path: KeyPath, rule: GateRule): void {
  if (rule.only === undefined) return;
  if (rule.for_each === undefined) {
    checker.say([...path, "only"], {
      code: "only-without-groups",
      aim: "key",
      what: `Rule "${rule.id}" has "only", but no "for_each": there are no groups to choose from`,
      fix: "add `for_each: category` or `for_each: task`",
    });
    return;
  }
  checker.unique(rule.only, (index) => [...path, "only", index], "Group");
  if (rule.for_each !== "category") return;
  rule.only.forEach((name, index) =>
    checker.known([...path, "only", index], name, {
      words: category.options,
      code: "unknown-category",
      noun: "category",
    })
  );
}
