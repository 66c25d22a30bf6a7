/** A small project in a real repository, for whole-program tests of hooks and `ci`; has no tests. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LIGHTS = join(ROOT, "testdata/cli/projects/lights");

const GATE = `gate: release
version: 1
reason: First version
rules:
  - {id: no-critical, level: block, override: never, require: candidate.critical = 0}
  - {id: success, level: block, require: candidate.taskSuccess = 1}
`;

/** How a process ended, and all that it said. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a recording makes of the scenario: it passes, lacks something, or does harm. */
export type Conduct = "pass" | "silent" | "wrong-room";

/** A repository with the project, its own git environment, and a clock that moves with each commit. */
export class GitProject {
  #minute = 0;
  readonly env: Record<string, string> = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_COMMITTER_NAME: "Anna",
    GIT_COMMITTER_EMAIL: "anna@example.test",
    GIT_AUTHOR_NAME: "Anna",
    GIT_AUTHOR_EMAIL: "anna@example.test",
    GIT_EDITOR: "true",
    NO_COLOR: "1",
    GITHUB_ACTIONS: "",
    INIT_CWD: "",
  };

  constructor(readonly folder: string, readonly prefix = "") {}

  /** A repository with the project committed, in a folder whose name has blanks and accents. */
  static async make(
    options: {
      readonly prefix?: string;
      readonly init?: readonly string[];
      readonly unborn?: boolean;
    } = {},
  ): Promise<GitProject> {
    const above = await Deno.realPath(await Deno.makeTempDir({ prefix: "collaudo, è " }));
    const project = new GitProject(join(above, "casa mia"), options.prefix ?? "");
    await Deno.mkdir(project.folder);
    await project.git(["init", "-q", "-b", "main", ...options.init ?? []]);
    await copyFolder(LIGHTS, join(project.folder, project.prefix));
    await project.write("gates/release.yaml", GATE);
    await project.write(".gitignore", "/reports/runs/\n/reports/ci/\n/reports/.lock\n");
    await project.git(["add", "-A"]);
    if (options.unborn !== true) await project.commit("begin");
    return project;
  }

  async remove(): Promise<void> {
    await Deno.remove(join(this.folder, ".."), { recursive: true });
  }

  /** Runs a program; `cwd` default the repository's top. */
  async run(
    command: string,
    args: readonly string[],
    { cwd = this.folder, env = {} }: {
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Ended> {
    const { code, stdout, stderr } = await new Deno.Command(command, {
      args: [...args],
      cwd,
      env: { ...this.env, ...env },
      stdin: "null",
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, out: text(stdout), err: text(stderr) };
  }

  /** Git with the next minute as the author's time, so that no two commits share one. */
  async git(
    args: readonly string[],
    options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<Ended> {
    const at = new Date(Date.now() - 3_600_000 + ++this.#minute * 1000).toISOString();
    const date = args[0] === "commit" && !args.includes("--amend") ? { GIT_AUTHOR_DATE: at } : {};
    return await this.run("git", args, { ...options, env: { ...date, ...options.env } });
  }

  /** Commits what is staged. */
  async commit(message: string, ...args: string[]): Promise<Ended> {
    return await this.git(["commit", "-m", message, ...args]);
  }

  /** The program, in the project's folder. */
  async eval(...args: string[]): Promise<Ended> {
    return await this.run(Deno.execPath(), [
      "run",
      "--no-prompt",
      "--cached-only",
      "--no-check",
      "--allow-all",
      join(ROOT, "main.ts"),
      ...args,
    ], { cwd: join(this.folder, this.prefix) });
  }

  path(file: string): string {
    return join(this.folder, this.prefix, file);
  }

  async write(file: string, text: string): Promise<void> {
    await Deno.mkdir(join(this.path(file), ".."), { recursive: true });
    await Deno.writeTextFile(this.path(file), text);
  }

  async read(file: string): Promise<string> {
    return await Deno.readTextFile(this.path(file));
  }

  /** Lets the scenario's recording behave so; `note` makes the file another one. */
  async conduct(how: Conduct, note = ""): Promise<void> {
    const from = join(LIGHTS, "fixtures/recordings/light-on", `${how}.yaml`);
    const text = (await Deno.readTextFile(from)).replace(/^fails:.*\n/m, "");
    await this.write("fixtures/recordings/light-on/pass.yaml", `${text}# ${how} ${note}\n`);
  }

  /** The same, staged. */
  async stage(how: Conduct, note = ""): Promise<void> {
    await this.conduct(how, note);
    await this.git(["add", "-A"]);
  }

  async message(revision = "HEAD"): Promise<string> {
    return (await this.git(["log", "-1", "--format=%B", revision])).out;
  }

  async head(revision = "HEAD"): Promise<string> {
    return (await this.git(["rev-parse", revision])).out.trim();
  }

  /** Rows of `regressions.md` in a commit. */
  async ledger(revision = "HEAD"): Promise<string[]> {
    const { out } = await this.git(["show", `${revision}:${this.prefix}regressions.md`]);
    return out.split("\n").filter((line) => /^\| [0-9a-f]{8}/.test(line));
  }

  /** Git's folder that all work trees share. */
  async common(): Promise<string> {
    const args = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    return (await this.git(args)).out.trim();
  }

  /** Puts a program between the shim and Deno that counts the starts; gives the count so far. */
  async countStarts(): Promise<() => Promise<number>> {
    const counter = join(this.folder, "..", "deno-that-counts");
    const log = `${counter}.log`;
    await Deno.writeTextFile(log, "");
    const script = `#!/bin/sh\necho start >>'${log}'\nexec '${Deno.execPath()}' "$@"\n`;
    await Deno.writeTextFile(counter, script, { mode: 0o755 });
    await this.changeShim(/^deno=.*$/m, `deno='${counter}'`);
    return async () => (await Deno.readTextFile(log)).split("\n").length - 1;
  }

  async changeShim(what: RegExp, by: string): Promise<void> {
    const path = join(await this.common(), "collaudo/hook");
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace(what, () => by));
  }
}

/** Copies a folder with all that is in it. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** Uses a project, then removes it. */
export async function withProject(
  options: Parameters<typeof GitProject.make>[0],
  use: (project: GitProject) => Promise<void>,
): Promise<void> {
  const project = await GitProject.make(options);
  try {
    await use(project);
  } finally {
    await project.remove();
  }
}

/** A message that asks to pass, with a reason. */
export const OVERRIDE = "break it\n\neval-override: The bedroom is being rewired\n";
