/**
 * Which rows does the ledger still lack? Brings `regressions.md` of the work tree up to date before a
 * commit, so that the shim can add it, and forgets what was noted. Where the history was fetched in
 * part nobody can say: the notes go all the same, CI sees the commits.
 */
import { EXIT } from "../model/exit.ts";
import type { Io } from "../model/ports.ts";
import { LEDGER_FILE } from "../load/ledger.ts";
import { hookWordsOf } from "../report/words_hook.ts";
import { explicitGit, homeOf, type HookCall } from "./hook_call.ts";
import { syncLedger } from "./ledger_command.ts";
import { join, openSession } from "./session.ts";

/** 0 where the file is in step now, 3 where it was left as it is. */
export async function hookLedger(io: Io, { repository }: HookCall): Promise<number> {
  const quiet = { ...io.terminal, out: () => {}, err: () => {} };
  const session = await openSession({
    ...io,
    cwd: join(repository.top, repository.prefix),
    git: explicitGit(io.git, repository),
    terminal: quiet,
  });
  if (typeof session === "number") return EXIT.undecided;
  const synced = await syncLedger(session);
  await io.files.remove(`${homeOf(repository)}/pending.jsonl`);
  if (typeof synced === "number") {
    io.terminal.err(`${hookWordsOf(session.project.config.locale).notSynced}\n`);
    return EXIT.undecided;
  }
  if (synced.changed && synced.rows.length > 0) {
    await io.files.writeText(join(session.project.root, LEDGER_FILE), synced.text);
  }
  return EXIT.ok;
}
