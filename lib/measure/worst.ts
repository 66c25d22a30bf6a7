/** How did a scenario with several trials go? As its worst trial: no good run hides a bad one. */
import type { VerdictKind } from "../model/verdict.ts";

/** From worst to best, as formats and reports order them. */
export const WORST_FIRST: readonly VerdictKind[] = [
  "stale",
  "failed",
  "errored",
  "skipped",
  "passed",
];

/** The worst of the verdicts; of none at all, `skipped`: nothing was seen. */
export function worstVerdict(verdicts: readonly VerdictKind[]): VerdictKind {
  return WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "skipped";
}
