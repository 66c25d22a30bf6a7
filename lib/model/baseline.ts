/** What was accepted as the reference? The scores of one run of the suite, moved only by command. */
import { z } from "zod";
import { currencyCode, isoTime } from "./common.ts";
import { evidence } from "./gate.ts";
import { score } from "./metrics.ts";

/** A file of `reports/baselines`. */
export const baselineFile = z.strictObject({
  schema: z.literal("collaudo/baseline@1"),
  name: z.string().min(1),
  acceptedAt: isoTime,
  reason: z.string().min(1),
  commit: z.string().nullable(),
  report: z.string().describe("The report that it was taken from"),
  evidence,
  currency: currencyCode,
  versions: z.record(z.string(), z.string().nullable()),
  scores: z.array(score).min(1),
});

export type Baseline = z.infer<typeof baselineFile>;
