/**
 * Do the agent's files stand a test that the agent never saw? Each proof of a scenario gets a copy of
 * the files of its own, hidden tests laid into it, and its command is run there: with no environment
 * but a path and an empty home, within a time limit. Out: exit codes, and the end of what was said.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type { ChildEnd } from "../model/ports.ts";
import type { ProofOutcome } from "../model/run.ts";
import type { Proof } from "../model/scenario.ts";
import { join, type Session } from "./session.ts";
import { discard } from "./workspace.ts";

/** A proof that takes longer does not hold. */
const LIMIT_MS = 120_000;

/** Characters of what a proof says that are kept: the end, where test programs sum up. */
const OUTPUT_MAX = 4_000;

/** The rest of an environment that every program may count on. */
export function bareEnvironment(
  session: Pick<Session, "io">,
  home: string,
): Record<string, string> {
  const { env } = session.io;
  return {
    PATH: env("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
  };
}

/** Runs the scenario's proofs on the files in `folder`, one after the other. */
export async function runProofs(
  session: Pick<Session, "io" | "project">,
  loaded: LoadedScenario,
  folder: string,
): Promise<ProofOutcome[]> {
  const outcomes: ProofOutcome[] = [];
  for (const proof of loaded.scenario.expected.proof ?? []) {
    outcomes.push(await runProof(session, proof, folder));
  }
  return outcomes;
}

async function runProof(
  session: Pick<Session, "io" | "project">,
  proof: Proof,
  folder: string,
): Promise<ProofOutcome> {
  const { trees } = session.io;
  const place = await trees.temporaryFolder();
  try {
    const work = join(place, "work");
    await trees.copy(folder, work);
    if (proof.lay !== undefined) {
      await trees.copy(join(session.project.root, proof.lay), work, proof.at);
    }
    return await runIn(session, proof, { work, home: place });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { id: proof.id, exitCode: null, why };
  } finally {
    await discard(session.io, place);
  }
}

async function runIn(
  session: Pick<Session, "io">,
  { id, run: [program = "", ...args] }: Proof,
  { work, home }: { readonly work: string; readonly home: string },
): Promise<ProofOutcome> {
  let said = "";
  const end = await session.io.children.start({
    program,
    args,
    cwd: work,
    env: bareEnvironment(session, home),
    bare: true,
    input: "",
    limitMs: LIMIT_MS,
    signal: session.io.interrupted,
    said: (_stream, text) => {
      said = (said + text).slice(-OUTPUT_MAX);
    },
  });
  const output = said === "" ? {} : { output: said.replaceAll(work, "<workspace>") };
  if (end.kind === "exited") return { id, exitCode: end.code, ...output };
  const timedOut = end.kind === "timeout" ? { timedOut: true } : {};
  return { id, exitCode: null, why: whyUnproved(program, end), ...timedOut, ...output };
}

function whyUnproved(program: string, end: Exclude<ChildEnd, { kind: "exited" }>): string {
  if (end.kind === "not_started") return `"${program}" did not start: ${end.why}`;
  if (end.kind === "killed") return `it was ended by ${end.signal}`;
  return end.kind === "timeout"
    ? `it did not end within ${LIMIT_MS / 1000} s`
    : "it was interrupted";
}
