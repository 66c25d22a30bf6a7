/**
 * A project in a real git repository in a folder of its own, for tests: commits by a fixed author at
 * fixed times, the program in a process of its own.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROJECTS = join(ROOT, "testdata/cli/projects");

/** What one run of the program said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A repository with a project. */
export interface TestRepository {
  readonly folder: string;
  git(...args: string[]): Promise<string>;
  /** Like `git`, but tells only the exit code. */
  gitCode(...args: string[]): Promise<number>;
  eval(...args: string[]): Promise<Said>;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  replace(path: string, from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Commits everything; `day` is the author's, at noon in UTC. */
  commit(message: string, day?: string): Promise<string>;
}

/** Runs `work` in a repository whose first commit, on `main`, is the project `lights`. */
export async function inTestRepository(
  work: (repository: TestRepository) => Promise<void>,
  init: readonly string[] = [],
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "collaudo git è " }));
  try {
    const repository = testRepository(folder);
    await copyFolder(join(PROJECTS, "lights"), folder);
    await repository.write(".gitignore", "reports/runs/\nreports/.lock\n");
    await repository.git("init", "-q", "-b", "main", ...init);
    await repository.commit("Lights", "2026-11-01");
    await work(repository);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The repository in a folder; the user's own configuration is left out. */
export function testRepository(folder: string): TestRepository {
  const env = (day: string) => ({
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "Anna",
    GIT_AUTHOR_EMAIL: "anna@example.test",
    GIT_AUTHOR_DATE: `${day}T12:00:00Z`,
    GIT_COMMITTER_NAME: "Bo",
    GIT_COMMITTER_EMAIL: "bo@example.test",
    GIT_COMMITTER_DATE: `${day}T12:00:00Z`,
    GIT_EDITOR: "true",
  });
  const run = async (args: readonly string[], day: string): Promise<Said> => {
    const child = new Deno.Command("git", { args: [...args], cwd: folder, env: env(day) });
    return said(await child.output());
  };
  const git = async (args: readonly string[], day = "2026-11-10"): Promise<string> => {
    const { code, out, err } = await run(args, day);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${err}`);
    return out.trim();
  };
  const at = (path: string) => join(folder, path);
  const read = (path: string) => Deno.readTextFile(at(path));
  return {
    folder,
    git: (...args) => git(args),
    gitCode: async (...args) => (await run(args, "2026-11-10")).code,
    eval: async (...args) => {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--allow-all", join(ROOT, "main.ts"), ...args],
        cwd: folder,
        env: { INIT_CWD: "", NO_COLOR: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
        stdin: "null",
      });
      return said(await child.output());
    },
    read,
    write: async (path, text) => {
      await Deno.mkdir(join(at(path), ".."), { recursive: true });
      await Deno.writeTextFile(at(path), text);
    },
    replace: async (path, from, to) => {
      const text = await read(path);
      if (!text.includes(from)) throw new Error(`"${from}" is not in ${path}`);
      await Deno.writeTextFile(at(path), text.replace(from, () => to));
    },
    remove: (path) => Deno.remove(at(path), { recursive: true }),
    commit: async (message, day) => {
      await git(["add", "-A"]);
      await git(["commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message], day);
      return await git(["rev-parse", "HEAD"]);
    },
  };
}

function said({ code, stdout, stderr }: Deno.CommandOutput): Said {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

async function copyFolder(from: string, to: string): Promise<void> {
  for await (const entry of Deno.readDir(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!entry.isDirectory) await Deno.copyFile(source, target);
    else {
      await Deno.mkdir(target, { recursive: true });
      await copyFolder(source, target);
    }
  }
}
