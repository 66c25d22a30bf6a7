/**
 * How does the person answer when a tool asks for approval? Denials first, then grants (as often
 * as `times` says), then the scenario's default. In: the scenario's approvals and how often each
 * entry was used. Out: the answer and the uses after it.
 */
import { matchArgs } from "../expression/args.ts";
import type { JsonObject } from "../model/json.ts";
import type { Approvals } from "../model/scenario.ts";

type Entry = NonNullable<Approvals["grant"]>[number];

/** How often each entry answered, by `deny:<n>` and `grant:<n>`. */
export type ApprovalUses = Readonly<Record<string, number>>;

/** The answer and the uses after it. */
export interface ApprovalAnswer {
  readonly granted: boolean;
  readonly uses: ApprovalUses;
}

/** One call that asks for approval. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly args: JsonObject;
}

/** The person's answer; throws `Refusal` where an entry's pattern is not RE2. */
export function answerApproval(
  approvals: Approvals,
  request: ApprovalRequest,
  uses: ApprovalUses,
): ApprovalAnswer {
  for (const list of ["deny", "grant"] as const) {
    for (const [index, entry] of (approvals[list] ?? []).entries()) {
      const key = `${list}:${index}`;
      if (!answers(entry, request, uses[key] ?? 0)) continue;
      return { granted: list === "grant", uses: { ...uses, [key]: (uses[key] ?? 0) + 1 } };
    }
  }
  return { granted: approvals.default === "grant", uses };
}

function answers(entry: Entry, request: ApprovalRequest, used: number): boolean {
  if (typeof entry === "string") return entry === request.tool;
  return entry.tool === request.tool && (entry.times === undefined || used < entry.times) &&
    (entry.args === undefined || matchArgs(entry.args, request.args));
}
