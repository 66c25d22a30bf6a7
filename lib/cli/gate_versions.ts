/**
 * Was a gate changed in silence? Every gate file of the project is compared with what HEAD has, and
 * with what the base branch had where the two parted: one that lets through something else needs a
 * higher version and another reason. Where there is no repository this is said, not passed over.
 */
import { diffGates, isWording } from "../gate/gate_diff.ts";
import { readGateText, versionProblems } from "../load/history.ts";
import type { Problem } from "../model/problem.ts";
import { baseBranch, fileAt, mergeBase, objectOf, openRepository } from "./repository.ts";
import { join, type Session } from "./session.ts";

/** Problems of the project's gate files, and of `named` where it lies elsewhere in the project. */
export async function gateProblems(session: Session, named: string | null): Promise<Problem[]> {
  const { io, project } = session;
  const repository = await openRepository(io.git, project.root);
  const head = repository === null ? null : await objectOf(repository, "HEAD");
  if (repository === null || head === null) {
    io.terminal.err(
      "notice: Gate versions were not compared: this project has no commit in a git repository\n",
    );
    return [];
  }
  const branch = session.base ?? await baseBranch(repository, project.config.base);
  const fork = branch === null ? null : await mergeBase(repository, head, branch.sha);
  const before = [{ commit: head, where: "HEAD" }];
  if (branch !== null && fork !== null && fork !== head) {
    before.push({ commit: fork, where: branch.ref });
  }
  const problems: Problem[] = [];
  for (const file of await gateFiles(session, named)) {
    const text = await io.files.readText(join(project.root, file));
    const gate = readGateText(text);
    if (gate === null) continue;
    for (const { commit, where } of before) {
      const then = await fileAt(repository, commit, file);
      const old = then === null ? null : readGateText(then);
      if (old === null || diffGates(old, gate, file).every(isWording)) continue;
      const found = versionProblems({ file, text, gate }, old, where);
      problems.push(...found);
      if (found.length > 0) break;
    }
  }
  return problems;
}

async function gateFiles({ io, project }: Session, named: string | null): Promise<string[]> {
  const entries = await io.files.list(join(project.root, "gates"));
  const files = entries.filter(({ name, kind }) => kind === "file" && name.endsWith(".yaml"))
    .map(({ name }) => `gates/${name}`);
  const other = named !== null && !named.startsWith("/") && !files.includes(named) ? [named] : [];
  return [...files, ...other];
}
