/**
 * What was written to the bot? A message in; the command out, with what was typed after it: as words,
 * or behind `_` where it was tapped. In a group only commands are meant for the bot: all else is null.
 */
import type { ChatMessage } from "../model/ports.ts";

/** A command as it was typed; `typed` is empty where nothing followed. */
export type BotCommand =
  | { readonly kind: "help"; readonly why: "unknown" | "onlyText" | null }
  | { readonly kind: "status" | "last" | "overrides" | "no" }
  | { readonly kind: "why" | "run" | "yes"; readonly typed: string };

const PLAIN: ReadonlySet<string> = new Set(["status", "last", "overrides", "no"]);
const TYPED: ReadonlySet<string> = new Set(["why", "run", "yes"]);

/** Longest text after a command that is looked at. */
const TYPED_MAX = 100;

/** The command of a message; null where there is nothing to answer. */
export function readCommand({ text, isPrivate }: ChatMessage): BotCommand | null {
  const found = /^\/([a-z]+)(?:_(\w*))?(?:@\w+)?(?:\s+([^]*))?$/i.exec(text?.trim() ?? "");
  if (found === null) {
    if (!isPrivate) return null;
    return { kind: "help", why: text === null ? "onlyText" : "unknown" };
  }
  const [, name = "", tapped, words = ""] = found;
  const kind = name.toLowerCase();
  const typed = (tapped ?? words).trim().slice(0, TYPED_MAX);
  if (PLAIN.has(kind)) return { kind } as BotCommand;
  if (TYPED.has(kind)) return { kind, typed } as BotCommand;
  return { kind: "help", why: kind === "help" || kind === "start" ? null : "unknown" };
}
