/** Which commits passed the gate by decision of a person? One row each in `regressions.md`. */
import { z } from "zod";
import { isoDate } from "./common.ts";

export const ledgerKind = z.enum(["override", "gate_loosened", "baseline"]);

export const ledgerRow = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8,64}$/, "expected a hexadecimal id"),
  date: isoDate,
  kind: ledgerKind,
  commits: z.array(z.string()),
  rules: z.array(z.string()),
  scenarios: z.array(z.string()),
  reason: z.string().min(1),
  until: isoDate.nullable(),
  by: z.string().min(1),
  git: z.string().describe("`reachable`, `rewritten`, or `rewritten: <commits>` for some of them"),
});

export type LedgerKind = z.infer<typeof ledgerKind>;
export type LedgerRow = z.infer<typeof ledgerRow>;
