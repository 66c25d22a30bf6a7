/**
 * What else has a say in a decision? The gate of the base branch, where it differs from the one that
 * lies here; what was loosened since the two parted; the overrides of the history that still hold.
 * Where there is no repository, or it has no such branch, nothing has.
 */
import { gateHash } from "../load/gate_hash.ts";
import type { Baseline } from "../model/baseline.ts";
import { addDays, dayIn } from "../model/day.ts";
import type { Gate, GateChange, LiftedBy } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { projectLedger } from "../report/ledger.ts";
import { OVERRIDE_DAYS_MAX } from "../wire/override.ts";
import { overrideEntries } from "./override_entries.ts";
import { loadBaselineAt } from "./remembered_loads.ts";
import {
  baseBranch,
  changedFiles,
  fileAt,
  mergeBase,
  openAtHead,
  PERIMETER,
  type Repository,
} from "./repository.ts";
import { join, type Session, sourceOf } from "./session.ts";

/** The gate of the base branch, which judges too. */
export interface BaseGate {
  /** The branch as it is called here, such as `main` or `origin/main`. */
  readonly ref: string;
  readonly gate: Gate;
  readonly hash: string;
  readonly baseline: Baseline | null;
}

/** What else has a say. */
export interface Standing {
  /** Null where the base branch's gate is the same, or there is none. */
  readonly base: BaseGate | null;
  readonly loosened: readonly GateChange[];
  /** The baseline from before this very change, which judges too; null where it moved alone or not. */
  readonly former: Baseline | null;
  /** Rows of kind `override`, those that ran out too. */
  readonly overrides: readonly LedgerRow[];
  /** The override of the commit that is judged, null where there is none. */
  readonly own: LiftedBy | null;
  /** The day in the project's zone. */
  readonly today: string;
  /** The commit of HEAD, null where there is none. */
  readonly head: string | null;
}

/** A gate as it lies here, with the baseline that it is compared with. */
interface OwnGate {
  readonly gate: Gate;
  readonly gateFile: string;
  readonly baseline: Baseline | null;
}

/** How many days a commit may be younger than its author's date and still be found. */
const SLACK_DAYS = 60;

/** Asks the repository of the project for all of it. */
export async function findStanding(session: Session, own: OwnGate): Promise<Standing> {
  const { io, project } = session;
  const today = dayIn(project.config.zone, io.clock.now());
  const opened = await openAtHead(io.git, project.root);
  const head = opened?.head ?? null;
  const nothing = {
    ...{ base: null, loosened: [], former: null, overrides: [], own: null, today, head },
  };
  if (opened === null || head === null) return nothing;
  const { repository } = opened;
  const former = await formerBaseline(session, repository, own);
  const since = addDays(today, -OVERRIDE_DAYS_MAX - SLACK_DAYS);
  const entries = await overrideEntries(repository, [`--since=${since}T00:00:00Z`, head]);
  const overrides = projectLedger(entries ?? []);
  const branch = session.base ??
    await baseBranch(repository, await baseName(session, repository, head));
  if (branch === null) return { ...nothing, former, overrides };
  const base = await baseGate(session, { repository, branch, own });
  const parted = head === branch.sha ? head : await mergeBase(repository, head, branch.sha);
  const loosened = await loosenedSince(session, repository, parted ?? branch.sha);
  return { ...nothing, former, overrides, base, loosened };
}

/** The branch that HEAD's configuration names: what is not committed yet chooses no judge. */
async function baseName(
  { io, project: { root, config }, tree }: Session,
  repository: Repository,
  head: string,
): Promise<string> {
  if (tree !== undefined) return config.base;
  const text = await fileAt(repository, head, "collaudo.yaml");
  const own = await io.files.readText(join(root, "collaudo.yaml")).catch(() => null);
  if (text === null || text === own) return config.base;
  const { readConfigText } = await import("../load/history.ts");
  return readConfigText(text)?.base ?? config.base;
}

/** The gate's baseline as it was, where it moves together with what it is compared with. */
async function formerBaseline(
  { former }: Session,
  repository: Repository,
  { gate }: OwnGate,
): Promise<Baseline | null> {
  if (former === undefined || gate.baseline === undefined) return null;
  const text = await fileAt(repository, former, `reports/baselines/${gate.baseline}.json`);
  if (text === null) return null;
  const { readBaselineText } = await import("../load/history.ts");
  return readBaselineText(text);
}

/** What of the project was loosened since a commit. */
async function loosenedSince(
  { io, project, tree }: Session,
  repository: Repository,
  fork: string,
): Promise<GateChange[]> {
  const between = { from: fork, to: tree ?? null, paths: PERIMETER };
  const changed = await changedFiles(repository, between);
  if (changed === null || changed.length === 0) return [];
  const { diffChanged, folderSide, revisionSide } = await import("./tree_diff.ts");
  const changes = await diffChanged(repository, {
    from: { ...revisionSide(repository, fork), revision: fork },
    to: tree === undefined ? folderSide(io.files, project.root) : revisionSide(repository, tree),
    changed,
  });
  return changes.filter(({ direction }) => direction === "looser");
}

async function baseGate(
  session: Session,
  { repository, branch, own }: {
    readonly repository: Repository;
    readonly branch: { readonly ref: string; readonly sha: string };
    readonly own: OwnGate;
  },
): Promise<BaseGate | null> {
  const text = await fileAt(repository, branch.sha, own.gateFile);
  if (text === null || text === await ownText(session, own.gateFile)) return null;
  const [{ readGateText }, { diffGates, isWording }] = await Promise.all([
    import("../load/history.ts"),
    import("../gate/gate_diff.ts"),
  ]);
  const gate = readGateText(text);
  if (gate === null) return null;
  if (diffGates(gate, own.gate, own.gateFile).every(isWording)) return null;
  const same = gate.baseline === own.gate.baseline;
  const baseline = same ? own.baseline : await namedBaseline(session, gate.baseline);
  return { ref: branch.ref, gate, hash: gateHash(gate), baseline };
}

/** A gate of the same letters needs no reading to be the same. */
async function ownText({ io, project }: Session, file: string): Promise<string | null> {
  return await io.files.readText(join(project.root, file)).catch(() => null);
}

async function namedBaseline(session: Session, name: string | undefined): Promise<Baseline | null> {
  if (name === undefined) return null;
  const path = join(session.project.root, `reports/baselines/${name}.json`);
  return (await loadBaselineAt(sourceOf(session), path)).baseline;
}
