/**
 * What is a scenario's repository made of? The folders that its commits hold, its hooks and what is
 * staged: all of it must be there, and counts in the scenario's hash.
 */
import { hashState } from "../model/hash.ts";
import { FILES, isObject, type Json, type State } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import type { Repository, ScenarioFile } from "../model/scenario.ts";
import { isLocated, type ProjectFiles, unreadable } from "./project_files.ts";
import { type KeyPath, problemAt, type SourceFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";
import type { WorldReader } from "./world.ts";

/** Hashes of what lies behind the names, and what is wrong with them. */
export interface RepositoryFiles {
  readonly hashes: Json[];
  readonly problems: Problem[];
}

interface Around {
  readonly files: ProjectFiles;
  readonly worlds: WorldReader;
  readonly source: SourceFile;
}

const GIT: KeyPath = ["setup", "git"];

/** Looks at everything that `setup.git` names; nothing where there is no such key. */
export async function repositoryFiles(
  around: Around,
  written: ScenarioFile,
  state: State | null,
): Promise<RepositoryFiles> {
  const git = written.setup?.git;
  const found: RepositoryFiles = { hashes: [], problems: [] };
  if (git === undefined) return found;
  if (written.setup?.workspace === undefined) {
    found.problems.push(problemAt(around.source, GIT, {
      code: "git-without-workspace",
      aim: "key",
      what: "`git` makes the workspace a repository, and there is no `workspace`",
      fix: "add `workspace: <folder>`, or remove `git`",
    }));
  }
  await commitFolders(around, git, found);
  await hookFiles(around, git, found);
  found.problems.push(...stagedProblems(around.source, git, state));
  return found;
}

async function commitFolders(
  { files, worlds, source }: Around,
  git: Repository,
  found: RepositoryFiles,
): Promise<void> {
  for (const [index, commit] of (git.commits ?? []).entries()) {
    const [name, path] = typeof commit === "string"
      ? [commit, [...GIT, "commits", index]]
      : [commit.tree, [...GIT, "commits", index, "tree"]];
    const folder = await files.locate(name, "folder", { source, path });
    if (!isLocated(folder)) {
      found.problems.push(folder);
      continue;
    }
    const laid = await worlds.folder(folder);
    found.problems.push(...laid.problems);
    found.hashes.push(hashState({ [FILES]: laid.value ?? {} }));
  }
}

async function hookFiles(
  { files, source }: Around,
  git: Repository,
  found: RepositoryFiles,
): Promise<void> {
  for (const [hook, name] of Object.entries(git.hooks ?? {})) {
    const path = [...GIT, "hooks", hook];
    const file = await files.locate(name, "file", { source, path });
    if (!isLocated(file)) {
      found.problems.push(file);
      continue;
    }
    try {
      found.hashes.push(await files.files.readText(file.absolute));
    } catch (error) {
      found.problems.push(unreadable(file.file, error));
    }
  }
}

function stagedProblems(source: SourceFile, git: Repository, state: State | null): Problem[] {
  const files = state?.[FILES];
  const known = isObject(files) ? Object.keys(files) : [];
  return (git.staged ?? []).flatMap((path, index) =>
    known.includes(path) ? [] : problemAt(source, [...GIT, "staged", index], {
      code: "staged-not-in-workspace",
      what: `"${path}" is staged, but the workspace holds no such file`,
      fix: didYouMean(path, known, "name a file of the workspace"),
    })
  );
}
