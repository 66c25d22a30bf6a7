/** `explain ID`: one scenario in plain words. Refuses an id that no scenario has, naming the nearest. */
import { loadScenarios } from "../load/scenarios.ts";
import { didYouMean } from "../load/suggest.ts";
import { EXIT } from "../model/exit.ts";
import { hasErrors } from "../model/problem.ts";
import { renderExplanation } from "../report/explain.ts";
import { join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** Runs the command; resolves to its exit code. */
export async function explainCommand(io: Session["io"], id: string): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const { project } = session;
  const loaded = await loadScenarios(io.files, project, {
    paths: [join(project.root, `scenarios/*/${id}.yaml`)],
    only: [],
    recordings: [],
  });
  const ids = loaded.all.map((each) => each.id);
  if (!ids.includes(id)) {
    return refuse(io, `Unknown scenario "${id}"`, didYouMean(id, ids, "see scenarios/"));
  }
  const [scenario] = loaded.scenarios;
  if (scenario === undefined || hasErrors(loaded.problems)) {
    await printProblems(io, loaded.problems, project.root);
    return EXIT.usage;
  }
  const { locale, zone, currency } = project.config;
  const text = renderExplanation(scenario, { locale, zone, currency });
  io.terminal.out(session.masker.mask(text));
  return EXIT.ok;
}
