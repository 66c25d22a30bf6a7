/**
 * What else has a say in a decision? The gate of the base branch, where it differs from the one that
 * lies here; what was loosened since the two parted; the overrides of the history that still hold.
 * Where there is no repository, or it has no such branch, nothing has.
 */
import { diffGates, isWording } from "../gate/gate_diff.ts";
import { loadBaseline } from "../load/baseline.ts";
import { gateHash } from "../load/gate.ts";
import { readGateText } from "../load/history.ts";
import type { Baseline } from "../model/baseline.ts";
import { addDays } from "../model/day.ts";
import type { Gate, GateChange, LiftedBy } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { projectLedger } from "../report/ledger.ts";
import { OVERRIDE_DAYS_MAX } from "../wire/override.ts";
import { overrideEntries } from "./ledger_source.ts";
import {
  baseBranch,
  fileAt,
  mergeBase,
  objectOf,
  openRepository,
  type Repository,
} from "./repository.ts";
import { join, type Session } from "./session.ts";
import { diffTrees, folderSide, revisionSide } from "./tree_diff.ts";

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
  /** Rows of kind `override`, those that ran out too. */
  readonly overrides: readonly LedgerRow[];
  /** The override of the commit that is judged, null where there is none. */
  readonly own: LiftedBy | null;
  /** The day in the project's zone. */
  readonly today: string;
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
  const nothing = { base: null, loosened: [], overrides: [], own: null, today };
  const repository = await openRepository(io.git, project.root);
  const head = repository === null ? null : await objectOf(repository, "HEAD");
  if (repository === null || head === null) return nothing;
  const since = addDays(today, -OVERRIDE_DAYS_MAX - SLACK_DAYS);
  const entries = await overrideEntries(repository, [`--since=${since}T00:00:00Z`, head]);
  const overrides = projectLedger(entries ?? []);
  const branch = session.base ?? await baseBranch(repository, project.config.base);
  if (branch === null) return { ...nothing, overrides };
  const base = await baseGate(session, { repository, branch, own });
  const fork = await mergeBase(repository, head, branch.sha) ?? branch.sha;
  const from = { ...revisionSide(repository, fork), revision: fork };
  const changes = await diffTrees(repository, from, folderSide(io.files, project.root)) ?? [];
  const loosened = changes.filter(({ direction }) => direction === "looser");
  return { ...nothing, overrides, base, loosened };
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
  const gate = text === null ? null : readGateText(text);
  if (gate === null) return null;
  if (diffGates(gate, own.gate, own.gateFile).every(isWording)) return null;
  const same = gate.baseline === own.gate.baseline;
  const baseline = same ? own.baseline : await namedBaseline(session, gate.baseline);
  return { ref: branch.ref, gate, hash: gateHash(gate), baseline };
}

async function namedBaseline(
  { io, project }: Session,
  name: string | undefined,
): Promise<Baseline | null> {
  if (name === undefined) return null;
  const path = join(project.root, `reports/baselines/${name}.json`);
  return (await loadBaseline(io.files, project, path)).baseline;
}

/** The calendar day of a time in a zone. */
export function dayIn(zone: string, time: string): string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return format.format(new Date(time));
}
