/**
 * What is kept of a run of an agent's program? Beside `events.jsonl` and `stderr.log`, which are
 * written while it goes on: what was said to it, its last answer, what proofs wrote, what became of
 * the evaluated source, and `run.json`. Everything is masked before it is written.
 */
import type { ProofOutcome } from "../model/run.ts";
import type { Talked } from "./agent_conversation.ts";
import { writeFacts } from "./agent_checks.ts";
import type { AgentFacts } from "./agent_facts.ts";
import type { SourceReport } from "./agent_source.ts";
import { join, type Session } from "./session.ts";

/** What is written, and where. */
export interface Artifacts {
  /** Absolute. */
  readonly folder: string;
  readonly facts: AgentFacts;
  readonly talked: Talked;
  readonly proofs: readonly ProofOutcome[];
  readonly source: SourceReport | null;
}

type Writing = Pick<Session, "io" | "masker">;

/** Writes everything but the logs, `run.json` last. */
export async function writeArtifacts(
  session: Writing,
  { folder, facts, talked, proofs, source }: Artifacts,
): Promise<void> {
  const write = (name: string, text: string) =>
    session.io.files.writeText(join(folder, name), session.masker.mask(text));
  const turns = talked.said.map(({ prompt, response }) => ({ prompt, response }));
  await write("prompt.txt", joined(turns.map(({ prompt }) => prompt)));
  await write("response.txt", joined(turns.map(({ response }) => response)));
  const shell = talked.processes.flatMap(({ ended }) => ended.commands);
  const lines = shell.map((record) => `${JSON.stringify(session.masker.maskDeep(record))}\n`);
  if (lines.length > 0) {
    await session.io.files.writeText(join(folder, "shell.jsonl"), lines.join(""));
  }
  if (proofs.length > 0) await write("oracle.log", proofs.map(proofText).join("\n"));
  if (source !== null && source.diff !== "") await write("source.diff", source.diff);
  await writeFacts(session, folder, facts);
}

/** The texts of several turns with a line between; that of one as it is. */
function joined(texts: readonly string[]): string {
  if (texts.length === 1) return `${texts[0]}\n`;
  return texts.map((text, index) => `=== turn ${index + 1}\n${text}\n`).join("\n");
}

function proofText({ id, exitCode, why, output }: ProofOutcome): string {
  const end = exitCode === null ? `no exit code: ${why ?? "unknown"}` : `exit code ${exitCode}`;
  return `=== ${id}: ${end}\n${output ?? ""}\n`;
}
