/**
 * Which commands did an agent's program run by itself? Programs look around when they start (a
 * snapshot of the shell, which search tool is there), which no model asked for and their output does
 * not tell. In: what the sandbox's shell recorded and the other sources. Out: the agent's deeds, and
 * the rest; in doubt a command is a deed.
 */
import { innerCommand } from "../model/shell.ts";
import type { AskedCall } from "./merge_trace.ts";
import type { BareEvent } from "./episode.ts";

type Command = BareEvent & { readonly kind: "command" };

/** What is known of the commands of one process. */
export interface CommandSources {
  readonly commands: readonly Command[];
  readonly testimony: readonly BareEvent[];
  readonly asked: readonly AskedCall[];
  /** True where the agent has no other model than ours: then whatever it was told to do was asked of us. */
  readonly servesModel: boolean;
  /** True for a command that counts whoever wanted it: one that is forbidden. */
  counts(command: string): boolean;
}

/** Known beginnings of programs, where we do not see what was asked for. */
const HOUSEKEEPING: readonly RegExp[] = [
  /^command -v \w+$/,
  /^ps -o ppid=,command= -p \d+$/,
  /^env$/,
  /shell[_-]snapshots?\//,
  /^# Snapshot file$|'# Snapshot file'/m,
];

/** Shorter commands stand in others by chance. */
const CONTAINED_MIN = 6;

/** The commands in their order, told apart. */
export function tellApart(
  sources: CommandSources,
): { readonly deeds: readonly Command[]; readonly own: readonly Command[] } {
  const open = sources.testimony.flatMap((event) =>
    event.kind === "command" ? [textOf(event.command)] : []
  );
  const deeds: Command[] = [];
  const own: Command[] = [];
  for (const command of sources.commands) {
    const at = open.indexOf(textOf(command.command));
    if (at !== -1) open.splice(at, 1);
    const isDeed = at !== -1 || sources.counts(command.command) || !isOwn(command, sources);
    (isDeed ? deeds : own).push(command);
  }
  return { deeds, own };
}

function isOwn({ command }: Command, { asked, servesModel }: CommandSources): boolean {
  const text = textOf(command);
  if (asked.some((call) => isAsked(call, text))) return false;
  return servesModel || HOUSEKEEPING.some((pattern) => pattern.test(text));
}

/** True where the model wrote the command, or what the program made into it. */
function isAsked({ args }: AskedCall, text: string): boolean {
  const command = typeof args?.command === "string" ? textOf(args.command) : "";
  if (command === text) return true;
  return command.length >= CONTAINED_MIN && text.includes(command);
}

function textOf(command: string): string {
  return innerCommand(command.trim()).trim();
}
