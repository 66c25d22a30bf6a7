/**
 * What does `run.json` among the artifacts of a program's run say in the end? What was known when the
 * run was over, and then the verdict with each check.
 */
import type { Score } from "../model/metrics.ts";
import type { RunVerdict } from "../model/verdict.ts";
import { join, type Session } from "./session.ts";

type Writing = Pick<Session, "io" | "masker">;

/** Writes `run.json`, masked. */
export async function writeFacts(session: Writing, folder: string, facts: object): Promise<void> {
  const text = JSON.stringify(session.masker.maskDeep(facts), null, 1);
  await session.io.files.writeText(join(folder, "run.json"), `${text}\n`);
}

/** Adds to `run.json` what was judged: the verdict and each check; nothing where there is none. */
export async function addChecks(
  session: Writing,
  folder: string,
  { verdict, score }: { readonly verdict: RunVerdict; readonly score: Score },
): Promise<void> {
  const path = join(folder, "run.json");
  if (await session.io.files.stat(path) === null) return;
  const facts: object = JSON.parse(await session.io.files.readText(path));
  const checks = verdict.conditions.map(({ id, verdict }) => ({ id, verdict }));
  const { stepScore } = score;
  await writeFacts(session, folder, { ...facts, verdict: verdict.verdict, stepScore, checks });
}
