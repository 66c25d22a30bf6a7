/**
 * `gate diff A B`: does B let through what A stops? Two gate files, two revisions of the repository
 * (then the whole project is compared: gates, scenarios, baselines, configuration), or one of each,
 * where the file is looked up in the revision. Without B, the project as it lies here. Exits 0 or 2.
 */
import { diffGates } from "../gate/gate_diff.ts";
import { loadGate } from "../load/gate.ts";
import { readGateText } from "../load/history.ts";
import { EXIT } from "../model/exit.ts";
import type { Gate, GateChange } from "../model/gate.ts";
import { hasErrors } from "../model/problem.ts";
import { overallDirection } from "../gate/differences.ts";
import { renderGateDiff } from "../report/loosened.ts";
import { terminalVoice } from "../report/voice.ts";
import { fileAt, objectOf, openRepository, type Repository } from "./repository.ts";
import { fromRoot, join, openSession, printProblems, refuse, type Session } from "./session.ts";
import { diffTrees, folderSide, revisionSide } from "./tree_diff.ts";

/** What a word of the command line means. */
type Named =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "revision"; readonly name: string; readonly tree: string }
  | { readonly kind: "folder" };

/** Runs `gate diff`; resolves to its exit code. */
export async function gateDiff(
  io: Session["io"],
  sides: readonly [from: string, to: string | undefined],
  options: { readonly json?: boolean },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const repository = await openRepository(io.git, session.project.root);
  const named: Named[] = [];
  for (const word of sides) {
    const found = await meaning(session, repository, word);
    if (found === null) {
      return refuse(
        io,
        `"${word}" is neither a gate file nor a revision${
          repository === null ? ": this folder is in no git repository" : ""
        }`,
        "name a file such as gates/release.yaml, or a branch, tag or commit",
      );
    }
    named.push(found);
  }
  const [from, to] = named;
  if (from === undefined || to === undefined) return EXIT.usage;
  const changes = await compared(session, repository, { from, to });
  if (typeof changes === "number") return changes;
  io.terminal.out(session.masker.mask(
    options.json === true ? jsonText(changes) : renderGateDiff(changes, voiceOf(session)),
  ));
  return EXIT.ok;
}

function jsonText(changes: readonly GateChange[]): string {
  return `${JSON.stringify({ direction: overallDirection(changes), changes }, null, 1)}\n`;
}

/** The voice of a session's terminal. */
export function voiceOf({ project: { config } }: Session) {
  return terminalVoice({ locale: config.locale, zone: config.zone }, config.currency);
}

async function meaning(
  { io }: Session,
  repository: Repository | null,
  word: string | undefined,
): Promise<Named | null> {
  if (word === undefined) return { kind: "folder" };
  const path = join(io.cwd, word);
  if ((await io.files.stat(path))?.kind === "file") return { kind: "file", path };
  const tree = repository === null ? null : await objectOf(repository, word, "tree");
  return tree === null ? null : { kind: "revision", name: word, tree };
}

async function compared(
  session: Session,
  repository: Repository | null,
  { from, to }: { readonly from: Named; readonly to: Named },
): Promise<GateChange[] | number> {
  const { io, project } = session;
  if (from.kind === "revision" && to.kind !== "file" && repository !== null) {
    const side = to.kind === "revision"
      ? revisionSide(repository, to.tree)
      : folderSide(io.files, project.root);
    const start = { ...revisionSide(repository, from.tree), revision: from.tree };
    const changes = await diffTrees(repository, start, side);
    return changes ?? refuse(io, "git could not compare the two", "see `git diff`");
  }
  const file = from.kind === "file" ? from.path : to.kind === "file" ? to.path : "";
  const gates: Gate[] = [];
  for (const side of [from, to]) {
    const gate = await gateOf(session, repository, { side, file });
    if (typeof gate === "number") return gate;
    gates.push(gate);
  }
  const [before, after] = gates;
  return diffGates(before ?? null, after ?? null, fromRoot(project.root, file));
}

async function gateOf(
  session: Session,
  repository: Repository | null,
  { side, file }: { readonly side: Named; readonly file: string },
): Promise<Gate | number> {
  const { io, project } = session;
  if (side.kind === "revision") {
    const path = fromRoot(project.root, file);
    const text = repository === null ? null : await fileAt(repository, side.tree, path);
    const gate = text === null ? null : readGateText(text);
    return gate ?? refuse(io, `No gate "${path}" in "${side.name}"`, "see `git show`");
  }
  const { gate, problems } = await loadGate(
    io.files,
    project,
    side.kind === "file" ? side.path : file,
  );
  if (gate !== null && !hasErrors(problems)) return gate;
  await printProblems(io, problems, project.root);
  return EXIT.usage;
}
