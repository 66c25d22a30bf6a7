/**
 * What do the commits of the history ask `regressions.md` to say? Messages, trailers, and the
 * versions of gates, scenarios and baselines that commits made in; entries out, one for each override,
 * each gate that became looser, each scenario let go and each baseline that moved. Only commits that HEAD reaches count, so that a
 * clone with the same HEAD gives the same rows whatever other branches it has.
 */
import { diffGates } from "../gate/gate_diff.ts";
import { readBaselineText, readGateText } from "../load/history.ts";
import { cleanText } from "../model/clean.ts";
import type { Gate, GateChange } from "../model/gate.ts";
import type { LedgerKind } from "../model/ledger.ts";
import { ledgerId } from "../model/ledger_rows.ts";
import type { LedgerEntry } from "../report/ledger.ts";
import { demotions } from "./demotions.ts";
import { overrideEntries } from "./override_entries.ts";
import { type Commit, fileAt, filesOfCommit, readCommits, type Repository } from "./repository.ts";

const GATES = "gates";
const BASELINES = "reports/baselines";

/** All entries of the history of `head`, in no particular order; null where git cannot list it. */
export async function ledgerEntries(
  repository: Repository,
  head: string,
): Promise<LedgerEntry[] | null> {
  const overrides = await overrideEntries(repository, [head]);
  const moves = await readCommits(repository, ["--full-history", head, "--", GATES, BASELINES]);
  const gone = await demotions(repository, head);
  if (overrides === null || moves === null || gone === null) return null;
  const entries = [...overrides];
  for (const { commit, id, reason } of gone) {
    entries.push(moveEntry(commit, "gate_loosened", { reason, scenarios: [id] }));
  }
  for (const commit of moves) entries.push(...await moveEntries(repository, commit));
  return entries;
}

async function moveEntries(repository: Repository, commit: Commit): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (const path of await filesOfCommit(repository, commit.sha, [GATES, BASELINES])) {
    const isGate = /^gates\/[^/]+\.yaml$/.test(path);
    if (!isGate && !/^reports\/baselines\/[^/]+\.json$/.test(path)) continue;
    const after = await fileAt(repository, commit.sha, path);
    if (!isGate) {
      const reason = after === null ? null : readBaselineText(after)?.reason;
      entries.push(moveEntry(commit, "baseline", { reason }));
      continue;
    }
    const changes = await gateChanges(repository, commit, { path, after });
    const looser = changes.filter((each) => each.direction === "looser");
    if (looser.length === 0) continue;
    const reason = after === null ? null : readGateText(after)?.reason;
    entries.push(moveEntry(commit, "gate_loosened", { reason, rules: rulesIn(looser) }));
  }
  return entries;
}

/**
 * A gate that cannot be read lets nothing through, so that the one that mends it is compared with
 * the last that could be read.
 */
async function gateChanges(
  repository: Repository,
  { parents }: Commit,
  { path, after }: { readonly path: string; readonly after: string | null },
): Promise<GateChange[]> {
  const [parent] = parents;
  const before = parent === undefined ? null : await fileAt(repository, parent, path);
  const to = after === null ? null : readGateText(after);
  if (parent === undefined || before === null || (after !== null && to === null)) return [];
  const from = readGateText(before) ?? await lastReadable(repository, parent, path);
  if (from !== null) return diffGates(from, to, path);
  return [{ what: path, from: null, to: null, direction: "looser" }];
}

async function lastReadable(
  repository: Repository,
  head: string,
  path: string,
): Promise<Gate | null> {
  for (const { sha } of await readCommits(repository, [head, "--", path]) ?? []) {
    const text = await fileAt(repository, sha, path);
    const gate = text === null ? null : readGateText(text);
    if (gate !== null) return gate;
  }
  return null;
}

function rulesIn(changes: readonly GateChange[]): string[] {
  return [...new Set(changes.flatMap(({ what }) => / rules\/([^/]+)/.exec(what)?.[1] ?? []))];
}

/** The reason stands in the file; where it is gone or has none, the commit's subject speaks. */
function moveEntry(
  commit: Commit,
  kind: LedgerKind,
  { reason, rules = [], scenarios = [] }: {
    readonly reason: string | null | undefined;
    readonly rules?: string[];
    readonly scenarios?: string[];
  },
): LedgerEntry {
  const subject = commit.message.split("\n")[0] ?? "";
  const said = cleanText(reason ?? "") || cleanText(subject) || "no reason given";
  return {
    sha: commit.sha,
    id: ledgerId(kind, commit, said),
    date: commit.at.slice(0, 10),
    kind,
    rules,
    scenarios,
    reason: said,
    until: null,
    by: cleanText(commit.email) || "unknown",
  };
}
