/**
 * Does the message let a stopped commit pass? Reads the override and those that still hold, decides
 * by the rules of the gate, and either writes the trailer `Eval-Blocked` into the message or says
 * what broke and what to do. Never writes an override for anybody.
 */
import { hashText } from "../model/hash.ts";
import { blockedBy, overrideDecision } from "../gate/override.ts";
import { dayIn } from "../model/day.ts";
import { EXIT } from "../model/exit.ts";
import type { Decision, LiftedBy } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Authored } from "../model/ledger_rows.ts";
import type { Io } from "../model/ports.ts";
import { clipped, narrow } from "../report/hook_lines.ts";
import { projectLedger } from "../report/ledger.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { type Blocked, messageLines, withBlocked } from "../wire/commit_message.ts";
import { type OverrideReading, readOverride } from "../wire/override.ts";
import { askIn, explicitGit, homeOf, type HookCall } from "./hook_call.ts";
import { quoted } from "./hook_shim.ts";
import { overrideEntries } from "./override_entries.ts";
import { keepOverridden } from "./overridden_report.ts";
import type { TreeVerdict } from "./tree_cache.ts";

/** A call of `commit-msg`. */
export type MessageCall = HookCall & { readonly message: string };

/** Decides about a message; resolves to the exit code for git. */
export async function decideMessage(
  io: Io,
  call: MessageCall,
  verdict: TreeVerdict,
): Promise<number> {
  const sign = await askIn(io, call.repository, ["config", "core.commentChar"]) ?? "#";
  const text = await readMessage(io, call);
  const reading = text === null
    ? NONE
    : readOverride(text, authorOf(io), sign, dayIn(verdict.zone, io.clock.now()));
  const words = hookWordsOf(verdict.locale);
  if (verdict.code === EXIT.ok) {
    await rewrite(io, call, { text, blocked: null, sign });
    if (reading.kind === "valid") io.terminal.err(`${words.notNeeded}\n`);
    return EXIT.ok;
  }
  const own = reading.kind === "valid" ? liftedBy(reading) : null;
  const decision = await lifted(io, call, { verdict, own });
  if (decision === null) {
    await keepMessage(io, call, { text, sign });
    return tellStopped(io, call, { verdict, reading, unread: text === null });
  }
  const by = decision.overridden ?? [];
  if (own === null || !by.some(({ id }) => id === own.id)) {
    await rewrite(io, call, { text, blocked: null, sign });
    io.terminal.err(`${narrow(words.lifted(by.map(({ id }) => id).join(", ")))}\n`);
    return EXIT.ok;
  }
  const report = await keepOverridden(io, {
    folder: verdict.report,
    home: homeOf(call.repository),
    decision,
    view: verdict,
  });
  const blocked = { ...blockedBy(decision), report: report ?? hashText(JSON.stringify(decision)) };
  await rewrite(io, call, { text, blocked, sign });
  io.terminal.err(`${words.overridden(own.id, own.until ?? "")}\n`);
  return EXIT.ok;
}

const NONE: OverrideReading = { kind: "none" };

/** The message; null where it is not UTF-8: nobody can say what it asks, nor add to it. */
async function readMessage(io: Io, call: MessageCall): Promise<string | null> {
  const bytes = await io.files.readBytes(messagePath(call));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function liftedBy({ override }: OverrideReading & { readonly kind: "valid" }): LiftedBy {
  const { id, reason, by, until } = override;
  return { id, reason, by, until };
}

/** The decision with what lifts it; null where nothing does. */
async function lifted(
  io: Io,
  call: MessageCall,
  { verdict, own }: { readonly verdict: TreeVerdict; readonly own: LiftedBy | null },
): Promise<Decision | null> {
  const { decision } = verdict;
  if (decision === null || verdict.code === EXIT.usage) return null;
  const today = dayIn(verdict.zone, io.clock.now());
  if (decision.verdict !== "block" && decision.verdict !== "error") return null;
  const standing = own === null ? await standingFor(io, call, verdict) : [];
  const after = overrideDecision(decision, { own, standing, today }, false);
  return after.overridden === undefined ? null : after;
}

/** Overrides of the history that still hold, and those that a merge brings in, whole. */
async function standingFor(
  io: Io,
  { repository }: MessageCall,
  { touched }: TreeVerdict,
): Promise<LedgerRow[]> {
  const here = { git: explicitGit(io.git, repository), folder: repository.top };
  const merged = await askIn(io, repository, ["rev-parse", "-q", "--verify", "MERGE_HEAD"]);
  const head = await askIn(io, repository, ["rev-parse", "-q", "--verify", "HEAD"]);
  const earlier = head === null ? [] : await overrideEntries(here, [head]) ?? [];
  const brought = merged === null ? [] : await overrideEntries(here, [`${head}..${merged}`]) ?? [];
  return [...withoutTouched(projectLedger(earlier), touched), ...projectLedger(brought)];
}

/** An earlier override says nothing of scenarios that this very change concerns. */
export function withoutTouched(
  rows: readonly LedgerRow[],
  touched: readonly string[],
): LedgerRow[] {
  return rows.map((row) => ({
    ...row,
    scenarios: row.scenarios.filter((id) => !touched.includes(id)),
  })).filter((row) => row.scenarios.length > 0);
}

function authorOf(io: Io): Authored {
  const [, seconds, zone = "+0000"] =
    /^@?(\d+) ([+-]\d{4})$/.exec(io.env("GIT_AUTHOR_DATE") ?? "") ?? [];
  const email = io.env("GIT_AUTHOR_EMAIL") ?? "";
  if (seconds === undefined) return { at: io.clock.now(), email };
  return { at: inZone(Number(seconds), zone), email };
}

/** ISO 8601 with the author's offset, as git shows it. */
function inZone(seconds: number, zone: string): string {
  const minutes = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3))) *
    (zone.startsWith("-") ? -1 : 1);
  const local = new Date((seconds + minutes * 60) * 1000).toISOString().slice(0, 19);
  return `${local}${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function messagePath({ message, repository }: MessageCall): string {
  return message.startsWith("/") ? message : `${repository.top}/${message}`;
}

async function rewrite(
  io: Io,
  call: MessageCall,
  { text, blocked, sign }: {
    readonly text: string | null;
    readonly blocked: Blocked | null;
    readonly sign: string;
  },
): Promise<void> {
  if (text === null) return;
  const after = withBlocked(text, blocked, sign);
  if (after === text || !/^eval-blocked *:/im.test(after + text)) return;
  await io.files.writeText(messagePath(call), after);
}

/** Below the scissors stands the change itself: it must not come back as part of the message. */
async function keepMessage(
  io: Io,
  call: MessageCall,
  { text, sign }: { readonly text: string | null; readonly sign: string },
): Promise<void> {
  if (text === null || !/ >8 -{24}\r?$/m.test(text)) return;
  await io.files.writeText(messagePath(call), `${messageLines(text, sign).join("\n")}\n`);
}

/** What a stopped commit says in all. */
const LINES_MAX = 15;

/** The line of the judging, that of the stop, the two that say what to do. */
const FIXED = 4;

function tellStopped(
  io: Io,
  call: MessageCall,
  { verdict, reading, unread }: {
    readonly verdict: TreeVerdict;
    readonly reading: OverrideReading;
    readonly unread: boolean;
  },
): number {
  const words = hookWordsOf(verdict.locale);
  const code = verdict.code === EXIT.ok ? EXIT.undecided : verdict.code;
  const never = neverRules(verdict);
  const why = [
    ...(never.length === 0 ? [] : [narrow(`  ${words.never(never.join(", "))}`)]),
    ...(reading.kind === "refused"
      ? [
        narrow(`  ${words.refused} ${reading.faults.map((each) => words.faults[each]).join("; ")}`),
      ]
      : []),
    ...(unread ? [narrow(`  ${words.notUtf8}`)] : []),
  ];
  const lines = [
    words.stopped[code],
    ...clipped(verdict.lines, LINES_MAX - FIXED - why.length),
    ...why,
    `  ${words.recover(`git commit -e -F ${shownPath(io, call)}`)}`,
    `  ${code === EXIT.usage ? words.noneFor2 : words.next}`,
  ];
  io.terminal.err(`${lines.join("\n")}\n`);
  return code;
}

function neverRules({ decision }: TreeVerdict): string[] {
  const stops = decision?.reasons.filter(({ level }) => level === "block") ?? [];
  return [...new Set(stops.flatMap(({ rule, overridable }) => overridable ? [] : rule ?? []))];
}

/** The message's file as the caller can write it from where he stands. */
function shownPath(io: Io, call: MessageCall): string {
  const inside = (io.env("GIT_PREFIX") ?? "") !== "";
  const path = inside ? messagePath(call) : call.message;
  return /^[\w./-]+$/.test(path) ? path : quoted(path);
}
