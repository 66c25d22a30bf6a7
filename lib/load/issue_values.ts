/**
 * What is wrong with one value of a file? Its type, its form, its range, a word that is not known,
 * or a trap of YAML that made another value of the text that was meant.
 */
import type { Json } from "../model/json.ts";
import { wordList } from "../model/near_words.ts";
import { type Context, discriminants, lower, shown, valueName, wanted } from "./issue_words.ts";
import type { Issue } from "./schema_walk.ts";
import { type Finding, type KeyPath, valueIn } from "./source.ts";
import { nearest } from "./suggest.ts";

/** What is wrong with a value that is there. */
export function valueFinding(context: Context, path: KeyPath, issue: Issue): Finding {
  const value = valueIn(context.source.value, path) ?? null;
  const name = valueName(context, path);
  const trap = trapFinding(context, path, issue);
  if (trap !== null) return trap;
  switch (issue.code) {
    case "invalid_type":
      return {
        code: "wrong-type",
        what: `${name} is ${shown(value)}: expected ${wanted(issue)}`,
        fix: plainTextFix(path, value) ?? `write ${wanted(issue)}`,
      };
    case "invalid_value": {
      const words = issue.values.map(String);
      const near = typeof value === "string" ? nearest(value, words) : null;
      return {
        code: "unknown-word",
        what: `${name} is ${shown(value)}: expected ${words.length > 1 ? "one of " : ""}${
          wordList(words)
        }`,
        fix: near === null ? "use one of the words listed" : `did you mean "${near}"?`,
      };
    }
    case "invalid_union":
      return unknownKind(name, value, discriminants(issue));
    case "too_small":
      return smallFinding(name, value, issue);
    case "too_big":
      return {
        code: "out-of-range",
        what: `${name} is ${shown(value)}: expected at most ${issue.maximum}`,
        fix: `write at most ${issue.maximum}`,
      };
    default:
      return {
        code: "wrong-form",
        what: `${name} is ${shown(value)}: ${lower(issue.message)}`,
        fix: /^expected /.test(issue.message)
          ? `write ${issue.message.slice("expected ".length)}`
          : "write it in the form described",
      };
  }
}

/** Entries of lists that are often written as their main text alone, by the list's key. */
const MAIN_KEYS: Readonly<Record<string, string>> = {
  conversation: "user: {}",
  turns: "user: {}` or `say: {}",
  tools_called: "name: {}",
  calls: "tool: {}",
  checkpoints: "{id: …, check: {}}",
  messages: "to: {}",
};

/** What to write where a plain text stands for an entry of several keys, null elsewhere. */
export function plainTextFix(path: KeyPath, value: Json): string | null {
  const form = typeof path.at(-1) === "number" ? MAIN_KEYS[String(path.at(-2))] : undefined;
  if (form === undefined || typeof value !== "string") return null;
  const text = JSON.stringify(value.length > 30 ? "…" : value);
  return `write \`${form.replaceAll("{}", () => text)}\``;
}

function unknownKind(name: string, value: Json, options: readonly string[]): Finding {
  const near = typeof value === "string" ? nearest(value, options) : null;
  return {
    code: "unknown-word",
    what: `${name} is ${shown(value)}: expected one of ${wordList(options)}`,
    fix: near === null ? "use one of the words listed" : `did you mean "${near}"?`,
  };
}

function smallFinding(name: string, value: Json, issue: Issue & { code: "too_small" }): Finding {
  if (value === "" || (Array.isArray(value) && value.length === 0)) {
    return {
      code: "empty-value",
      what: `${name} is empty: expected at least ${issue.minimum} ${
        issue.origin === "array" ? "entry" : "character"
      }`,
      fix: issue.origin === "array" ? "add at least one entry" : "write a text",
    };
  }
  const least = issue.inclusive === false
    ? `more than ${issue.minimum}`
    : `at least ${issue.minimum}`;
  const unit = issue.origin === "string"
    ? " characters"
    : issue.origin === "array"
    ? " entries"
    : "";
  return {
    code: "out-of-range",
    what: `${name} is ${shown(value)}: expected ${least}${unit}`,
    fix: `write ${least}${unit}`,
  };
}

/** Values that YAML read as something else than the text that was meant. */
function trapFinding(context: Context, path: KeyPath, issue: Issue): Finding | null {
  if (issue.code !== "invalid_type") return null;
  const value = valueIn(context.source.value, path) ?? null;
  const written = context.source.at(path);
  const text = written === null
    ? ""
    : context.source.text.slice(written.span.start, written.span.end);
  const name = valueName(context, path);
  if (issue.expected === "string" && written?.kind === "flow") {
    return {
      code: "unquoted-brackets",
      what: `${name} begins with \`${text.charAt(0)}\`, so that YAML reads ${
        shown(value)
      }: expected a text`,
      fix: "quote it, or write it below the key after a `|`",
    };
  }
  if (issue.expected === "string" && (typeof value === "number" || typeof value === "boolean")) {
    return {
      code: "unquoted-value",
      what: `${name} is ${shown(value)}: expected a text`,
      fix: `quote it: "${text}"`,
    };
  }
  if (
    issue.expected === "boolean" && typeof value === "string" && /^(yes|no|on|off)$/i.test(value)
  ) {
    const meant = /^(yes|on)$/i.test(value) ? "true" : "false";
    return {
      code: "wrong-type",
      what: `${name} is the text "${value}": expected true or false`,
      fix: `write ${meant}`,
    };
  }
  const numeric = issue.expected === "number" || issue.expected === "int";
  if (numeric && typeof value === "number" && text !== String(value)) {
    return {
      code: "wrong-type",
      what: `${name} is \`${text}\`, which YAML reads as ${value}: expected ${wanted(issue)}`,
      fix: `write ${wanted(issue)}`,
    };
  }
  return null;
}
