/**
 * How often does a gate block, warn or pass where the truth is known? Simulated suites, seeded, in;
 * the operating characteristics of the relative rule, and of the shipped gate over nights of builds
 * that did and did not change, out. `--write` puts the tables into `docs/statistics.md`; without it
 * the page is compared and exits 1 where it differs; `--quick` simulates less and only prints.
 */
import { openSession } from "../lib/cli/session.ts";
import { decide } from "../lib/gate/decide.ts";
import { createIo } from "../lib/io/real.ts";
import { loadGate } from "../lib/load/gate.ts";
import { loadScenarios } from "../lib/load/scenarios.ts";
import { compareScores } from "../lib/measure/compare.ts";
import { weigh } from "../lib/measure/evidence.ts";
import { measure } from "../lib/measure/metrics.ts";
import { judgeDrop, type RelativeVerdict, signFlip } from "../lib/measure/statistics/paired.ts";
import type { Baseline } from "../lib/model/baseline.ts";
import type { Decision, DecisionVerdict, Gate } from "../lib/model/gate.ts";
import type { LoadedScenario } from "../lib/model/loaded.ts";
import type { Score } from "../lib/model/metrics.ts";
import { markdownTable } from "../lib/report/markdown_table.ts";
import { seededNumbers } from "../lib/run/seeded.ts";

const SEED = "operating characteristics";

/** True success of the simulated scenarios, in turn: five kinds, 0.916 in the mean. */
export const TRUE_SUCCESS = [0.75, 0.9, 0.95, 0.98, 1];

/** What is simulated: `drop` lowers the true success of every scenario. */
export interface Cell {
  readonly scenarios: number;
  readonly trials: number;
  readonly drop: number;
}

/** Shares of the four verdicts. */
export type Shares = Record<RelativeVerdict, number>;

/** The cells of the table, in its order. */
export const CELLS: readonly Cell[] = [20, 50, 100].flatMap((scenarios) =>
  [1, 3, 5].flatMap((trials) => [0, 0.05, 0.1, 0.2].map((drop) => ({ scenarios, trials, drop })))
);

/** How often the relative rule gives each verdict; margins 10 and 5 points at 20 scenarios, else 5 and 2. */
export function simulateCell(cell: Cell, gates: number, seed = SEED): Shares {
  const { scenarios, trials, drop } = cell;
  const numbers = seededNumbers(`${seed} ${scenarios} ${trials} ${drop}`);
  const margins = scenarios === 20
    ? { block: 0.1, warn: 0.05, alpha: 0.05 }
    : { block: 0.05, warn: 0.02, alpha: 0.05 };
  const counts: Shares = { block: 0, warn: 0, not_enough_evidence: 0, pass: 0 };
  for (let gate = 0; gate < gates; gate++) {
    const differences = Array.from({ length: scenarios }, (_, i) => {
      const p = TRUE_SUCCESS[i % TRUE_SUCCESS.length] ?? 0;
      return successes(trials, Math.max(0, p - drop), numbers) - successes(trials, p, numbers);
    });
    const paired = { differences, unit: trials, pseudo: 1 / trials };
    counts[judgeDrop(paired, margins, signFlip(differences).drop)] += 1 / gates;
  }
  return counts;
}

function successes(trials: number, p: number, numbers: () => number): number {
  let count = 0;
  for (let trial = 0; trial < trials; trial++) if (numbers() < p) count++;
  return count;
}

/** A simulated agent: true success of ordinary and of critical scenarios, in turn. */
export interface Agent {
  readonly name: string;
  readonly ordinary: readonly number[];
  readonly critical: readonly number[];
}

/** The agents whose nights are simulated; the first is the one that the gate is made for. */
export const AGENTS: readonly Agent[] = [
  { name: "fit to ship", ordinary: TRUE_SUCCESS, critical: [0.98, 0.99, 1] },
  { name: "steady", ordinary: [0.98, 1], critical: [0.99, 1] },
  { name: "shaky, critical scenarios too", ordinary: TRUE_SUCCESS, critical: TRUE_SUCCESS },
];

/** What the nights are simulated for. */
export interface Nights {
  readonly gate: Gate;
  readonly scenarios: readonly LoadedScenario[];
  readonly agent: Agent;
  readonly trials: number;
  readonly nights: number;
  /** Lowers the true success of every scenario of the candidate. */
  readonly drop: number;
}

/** Shares of the decisions; `byComparison`: nights that a rule blocked which compares with the baseline. */
export type NightShares = Record<DecisionVerdict | "byComparison", number>;

/** How often each decision came, each night against a baseline of its own. */
export async function simulateNights(of: Nights): Promise<NightShares> {
  const numbers = seededNumbers(`${SEED} ${of.agent.name} ${of.trials} ${of.drop}`);
  const counts = { block: 0, error: 0, warn: 0, not_enough_evidence: 0, pass: 0, byComparison: 0 };
  const compares = of.gate.rules.filter(({ require }) =>
    /\$(significantDrop|drop|rise)\(/.test(require)
  )
    .map(({ id }) => id);
  for (let night = 0; night < of.nights; night++) {
    const then = simulateScores({ ...of, drop: 0 }, numbers);
    const { verdict, reasons } = await decideNight(of, simulateScores(of, numbers), then);
    counts[verdict] += 1 / of.nights;
    const isCompared = reasons.some(({ level, rule }) =>
      level === "block" && rule !== null && compares.includes(rule)
    );
    if (isCompared) counts.byComparison += 1 / of.nights;
  }
  return counts;
}

async function decideNight(
  { gate }: Nights,
  scores: readonly Score[],
  then: readonly Score[],
): Promise<Decision> {
  const compared = compareScores(scores, baselineOf(then), { partial: false });
  return await decide({
    gate,
    mode: "live",
    evidence: "live",
    candidate: measure(scores),
    baseline: measure(compared.narrowed),
    equals: { candidate: measure(compared.candidate), baseline: measure(compared.baseline) },
    scores,
    removedTasks: compared.removedTasks,
    statistics: weigh({ gate, live: true, scores, equals: compared }),
    relative: "judged",
    partial: false,
    ledger: [],
    invalid: [],
    strict: false,
  });
}

function baselineOf(scores: readonly Score[]): Baseline {
  return {
    schema: "collaudo/baseline@1",
    name: "production",
    acceptedAt: "2026-10-01T09:00:00+02:00",
    reason: "Simulated",
    commit: null,
    report: "none",
    evidence: "live",
    currency: "EUR",
    versions: {},
    scores: [...scores],
  };
}

function simulateScores(of: Nights, numbers: () => number): Score[] {
  return of.scenarios.flatMap((loaded, index) => {
    const { risk } = loaded.scenario;
    const rates = risk === "critical" ? of.agent.critical : of.agent.ordinary;
    const p = Math.max(0, (rates[index % rates.length] ?? 0) - of.drop);
    const cost = 0.002 + 0.0005 * (index % 7);
    const latencyMs = 2000 + 300 * (index % 11);
    return Array.from({ length: of.trials }, (_, trial) => {
      const passed = numbers() < p;
      return simulatedScore(loaded, {
        trial: trial + 1,
        verdict: passed ? "passed" as const : "failed" as const,
        stepScore: passed ? 1 : 0.3 + 0.6 * numbers(),
        cost: cost * logNormal(0.2, numbers),
        latencyMs: latencyMs * logNormal(0.3, numbers),
      });
    });
  });
}

function simulatedScore(
  { scenario, hash }: LoadedScenario,
  run: Pick<Score, "trial" | "verdict" | "stepScore" | "cost" | "latencyMs">,
): Score {
  return {
    scenario: scenario.id,
    scenarioHash: hash,
    task: scenario.task,
    category: scenario.category,
    risk: scenario.risk,
    lifecycle: scenario.lifecycle,
    outcome: scenario.expected.outcome,
    penalty: 0,
    critical: false,
    forbiddenAttempts: 0,
    calls: 4,
    referenceCalls: null,
    repeatedCalls: 0,
    intervention: false,
    ...run,
  };
}

/** Around 1, by G. Box and M. Muller's transform. */
function logNormal(sigma: number, numbers: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - numbers()));
  return Math.exp(sigma * radius * Math.cos(2 * Math.PI * numbers()));
}

const percent = (share: number) => `${Math.round(share * 1000) / 10}`;

/** The table of the relative rule: block/warn/not enough evidence/pass, in percent. */
export function cellTable(gates: number): string {
  const columns = [...Map.groupBy(CELLS, ({ scenarios, trials }) => `${scenarios} × ${trials}`)];
  const rows = [0, 0.05, 0.1, 0.2].map((drop) => [
    drop === 0 ? "none" : `${drop * 100} points`,
    ...columns.map(([, cells]) => {
      const shares = simulateCell(cells.find((cell) => cell.drop === drop)!, gates);
      const { block, warn, not_enough_evidence: open, pass } = shares;
      return [block, warn, open, pass].map((share) => Math.round(share * 100)).join("/");
    }),
  ]);
  return markdownTable(["true drop", ...columns.map(([name]) => name)], rows);
}

async function nightTable(nights: number): Promise<string> {
  const { gate, scenarios } = await shipped();
  const rows: string[][] = [];
  for (const agent of AGENTS) {
    for (const drop of [0, 0.1, 0.2]) {
      const shares = await simulateNights({ gate, scenarios, agent, trials: 3, nights, drop });
      rows.push([
        agent.name,
        drop === 0 ? "none" : `${drop * 100} points`,
        percent(shares.block),
        percent(shares.byComparison),
        percent(shares.warn),
        percent(shares.not_enough_evidence),
        percent(shares.pass),
      ]);
    }
  }
  return markdownTable(
    [
      "agent",
      "true drop",
      "block %",
      "by comparison %",
      "warn %",
      "not enough evidence %",
      "pass %",
    ],
    rows,
  );
}

/** The shipped gate and the stable scenarios of the shipped suites. */
export async function shipped(): Promise<Pick<Nights, "gate" | "scenarios">> {
  const session = await openSession(createIo(undefined));
  if (typeof session === "number") throw new Error("This folder holds no project");
  const { files } = session.io;
  const { gate } = await loadGate(
    files,
    session.project,
    `${session.project.root}/gates/release.yaml`,
  );
  const loaded = await loadScenarios(files, session.project, { paths: [], only: [] });
  if (gate === null) throw new Error("The gate cannot be read");
  const scenarios = loaded.scenarios.filter(({ scenario }) => scenario.lifecycle === "stable");
  return { gate, scenarios };
}

const PAGE = "docs/statistics.md";

/** The page with the text between the two marks of a table replaced. */
export function withTable(page: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name} -->`, "<!-- end -->"];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`The page has no table "${name}"`);
  return `${page.slice(0, from + start.length)}\n${table}\n${page.slice(to)}`;
}

async function main(args: readonly string[]): Promise<number> {
  const quick = args.includes("--quick");
  const cells = cellTable(quick ? 60 : 1500);
  const nights = await nightTable(quick ? 40 : 200);
  if (quick) {
    console.log(`${cells}\n\n${nights}`);
    return 0;
  }
  const before = await Deno.readTextFile(PAGE);
  const page = withTable(withTable(before, "rule", cells), "nights", nights);
  if (args.includes("--write")) await Deno.writeTextFile(PAGE, page);
  else if (page !== before) {
    console.error(`${PAGE} is not what the simulation gives: run it with --write`);
  }
  console.log(`${cells}\n\n${nights}`);
  return args.includes("--write") || page === before ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
