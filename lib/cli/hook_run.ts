/**
 * May the commit be made that git is about to make? What the shim calls, inside a hook: `pre-commit`
 * judges the tree and says what it found, `commit-msg` decides with the message, `ledger` brings
 * `regressions.md` up to date. A verdict that is known already is told without loading the pipeline.
 */
import { EXIT } from "../model/exit.ts";
import type { Io } from "../model/ports.ts";
import { VERDICT_WORDS } from "../report/verdict_words.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { type HookCall, hookCall, type TreeCall } from "./hook_call.ts";
import { readVerdict, type TreeVerdict, verdictPath, writeVerdict } from "./tree_cache.ts";

/** Runs what the shim asks for; resolves to the exit code for git. */
export async function hookRun(io: Io, args: readonly string[]): Promise<number> {
  const call = hookCall(args);
  if (call === null) {
    io.terminal.err("error: `hook run` is called by the hooks themselves\n  fix: hook install\n");
    return EXIT.usage;
  }
  try {
    return await answer(io, call);
  } catch (error) {
    io.terminal.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.undecided;
  }
}

async function answer(io: Io, call: HookCall): Promise<number> {
  if (call.hook === "ledger") {
    const { hookLedger } = await import("./hook_ledger.ts");
    return await hookLedger(io, call);
  }
  const { verdict, known } = await verdictFor(io, call);
  if (call.config !== null) {
    const { refreshShim } = await import("./hook_refresh.ts");
    await refreshShim(io, call);
  }
  if (!known) tellJudged(io, verdict);
  if (io.interrupted.aborted) return EXIT.interrupted;
  if (call.hook === "commit-msg" && call.message !== null) {
    const needed = verdict.code !== EXIT.ok || await mentionsGate(io, call.message);
    if (!needed) return EXIT.ok;
    const { decideMessage } = await import("./hook_message.ts");
    return await decideMessage(io, { ...call, message: call.message }, verdict);
  }
  return tellEarly(io, verdict);
}

/** The verdict of a tree: known, or judged now and kept. */
export async function verdictFor(
  io: Io,
  call: TreeCall & { readonly commit?: string },
): Promise<{ readonly verdict: TreeVerdict; readonly known: boolean; readonly name: string }> {
  const path = await verdictPath(io, call);
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.json$/, "");
  const kept = await readVerdict(io, call.repository, path);
  if (kept !== null) return { verdict: kept, known: true, name };
  const { judgeTree } = await import("./tree_verdict.ts");
  const { verdict } = await judgeTree(io, { ...call, commit: call.commit ?? null, name });
  if (!io.interrupted.aborted) await writeVerdict(io, path, verdict);
  return { verdict, known: false, name };
}

function tellJudged(io: Io, { locale, decision, judged, of, ms }: TreeVerdict): void {
  if (of === 0 || decision === null) return;
  const verdict = VERDICT_WORDS[decision.verdict];
  io.terminal.err(`${hookWordsOf(locale).judged(judged, of, (ms / 1000).toFixed(2), verdict)}\n`);
}

/** Files that can not be used stop at once; everything else is for `commit-msg`. */
function tellEarly(io: Io, verdict: TreeVerdict): number {
  const words = hookWordsOf(verdict.locale);
  if (verdict.code === EXIT.usage) {
    const lines = [words.stopped[2], ...verdict.lines, words.noneFor2];
    io.terminal.err(`${lines.join("\n")}\n`);
    return EXIT.usage;
  }
  // What stops the commit is told by commit-msg, which knows whether it does.
  if (verdict.code === EXIT.ok && verdict.lines.length > 0) {
    io.terminal.err(`${verdict.lines.join("\n")}\n`);
  }
  return EXIT.ok;
}

async function mentionsGate(io: Io, path: string): Promise<boolean> {
  // In another encoding the first letters are the same.
  return /^eval-/im.test(new TextDecoder("latin1").decode(await io.files.readBytes(path)));
}
