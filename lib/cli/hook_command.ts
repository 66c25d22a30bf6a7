/**
 * `hook install|uninstall|status`: does git ask Collaudo at each commit? Exit 0 where all hooks are
 * active (after `uninstall`: gone), 2 where something is left for a person to do, which is printed.
 */
import { findProject } from "../load/project.ts";
import { EXIT } from "../model/exit.ts";
import { type HookWords, hookWordsOf } from "../report/words_hook.ts";
import { askIn, homeOf, type Repository, repositoryAt } from "./hook_call.ts";
import {
  addBlock,
  findHooks,
  HOOK_WRITERS,
  type HookPlace,
  type HookPlaces,
  removeBlock,
  shimPrefix,
  writeShim,
} from "./hook_install.ts";
import { ANY_CLONE, hookLine } from "./hook_shim.ts";
import { fromRoot, openSession, refuse, type Session } from "./session.ts";

interface Here {
  readonly session: Session;
  readonly repository: Repository;
  readonly words: HookWords["install"];
}

const NO_REPOSITORY = "This folder is in no git repository";

async function open(io: Session["io"]): Promise<Here | number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const repository = await repositoryAt(io, session.project.root);
  if (repository === null) {
    return refuse(io, NO_REPOSITORY, "begin one with `git init`");
  }
  const words = hookWordsOf(session.project.config.locale).install;
  return { session, repository, words };
}

/** Runs `hook install`. */
export async function hookInstall(
  io: Session["io"],
  options: { readonly all?: boolean },
): Promise<number> {
  const here = await open(io);
  if (typeof here === "number") return here;
  const { session, repository, words } = here;
  const other = await shimPrefix(io, repository);
  if (other !== null && other !== repository.prefix) {
    if (await io.files.stat(`${repository.top}/${other}collaudo.yaml`) !== null) {
      return refuse(io, words.otherProject(other), "uninstall its hooks there first");
    }
    io.terminal.out(`${words.takenOver(other)}\n`);
  }
  const blob = await askIn(io, repository, [
    "rev-parse",
    "-q",
    "--verify",
    `:${repository.prefix}collaudo.yaml`,
  ]);
  const { config } = session.project;
  const shim = await writeShim(io, repository, { config, blob, all: options.all === true });
  const { places } = await findHooks(io, repository);
  for (const place of places) if (place.kind === "own") await addBlock(io, place, shim);
  io.terminal.out(`${words.written}: ${shim}\n`);
  return await tell(io, here);
}

/** Runs `hook status`. */
export async function hookStatus(io: Session["io"]): Promise<number> {
  const here = await open(io);
  if (typeof here === "number") return here;
  const { repository, words } = here;
  const prefix = await shimPrefix(io, repository);
  if (prefix === null) {
    io.terminal.out(`${words.noShim}\n`);
    return EXIT.usage;
  }
  if (prefix !== repository.prefix) {
    io.terminal.out(`${words.otherProject(prefix)}\n`);
    return EXIT.usage;
  }
  return await tell(io, here);
}

/** Runs `hook uninstall`. */
export async function hookUninstall(io: Session["io"]): Promise<number> {
  // Also where the project is gone: its hooks are not.
  const { project } = await findProject(io.files, io.cwd);
  const repository = await repositoryAt(io, project?.root ?? io.cwd);
  if (repository === null) return refuse(io, NO_REPOSITORY, "go to the clone that has the hooks");
  const words = hookWordsOf(project?.config.locale ?? "en").install;
  const { places } = await findHooks(io, repository);
  for (const place of places) if (place.kind === "own") await removeBlock(io, place);
  const home = homeOf(repository);
  for (const name of ["hook", "verdicts", "reports", "tmp", "pending.jsonl"]) {
    await io.files.remove(`${home}/${name}`);
  }
  const left = (await findHooks(io, repository)).places.filter(({ active }) => active);
  for (const { file } of left) {
    io.terminal.out(`${words.takeOut(fromRoot(repository.top, file))}\n`);
  }
  io.terminal.out(`${words.removed}\n`);
  return left.length === 0 ? EXIT.ok : EXIT.usage;
}

/** Each hook with what is left to do for it. */
async function tell(io: Session["io"], { repository, words }: Here): Promise<number> {
  const found = await findHooks(io, repository);
  for (const place of found.places) {
    const file = fromRoot(repository.top, place.file);
    io.terminal.out(
      `${place.active ? "✓" : "✗"} ${place.hook}  ${
        place.active ? words.active : words.missing
      }  ${file}\n`,
    );
  }
  if (found.absent) io.terminal.out(`${words.folderAbsent(found.hooksPath ?? "")}\n`);
  await tellWriters(io, found, words);
  const missing = found.places.filter(({ active }) => !active);
  for (const { hook, file } of missing) {
    io.terminal.out(
      `${words.add(fromRoot(repository.top, file))}\n  ${hookLine(hook, ANY_CLONE)}\n`,
    );
  }
  io.terminal.out(
    `${missing.length === 0 ? words.judged(repository.prefix) : words.notYet}\n`,
  );
  return missing.length === 0 ? EXIT.ok : EXIT.usage;
}

async function tellWriters(
  io: Session["io"],
  { places }: HookPlaces,
  words: HookWords["install"],
): Promise<void> {
  const said = new Set<string>();
  for (const { file } of places) {
    const text = await readHook(io, file);
    const writer = HOOK_WRITERS.find(({ sign }) => sign.test(text));
    if (writer === undefined || said.has(writer.tool)) continue;
    said.add(writer.tool);
    io.terminal.out(`${words.ownsFile(writer.tool, writer.where)}\n`);
  }
}

async function readHook(io: Session["io"], file: HookPlace["file"]): Promise<string> {
  if (await io.files.stat(file) === null) return "";
  return await io.files.readText(file).catch(() => "");
}
