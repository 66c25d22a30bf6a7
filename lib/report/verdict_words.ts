/** What is a decision called, in every locale the same? */
import type { DecisionVerdict } from "../model/gate.ts";

/** The same in every locale, so that people and programs find them. */
export const VERDICT_WORDS: Readonly<Record<DecisionVerdict, string>> = {
  pass: "PASS",
  warn: "WARN",
  block: "BLOCK",
  error: "ERROR",
  not_enough_evidence: "NOT ENOUGH EVIDENCE",
};
