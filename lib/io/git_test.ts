import assert from "node:assert/strict";
import { join } from "node:path";
import { childEnvironment } from "./environment.ts";
import { realGit } from "./git.ts";

async function withEnvironment(
  values: Readonly<Record<string, string>>,
  use: () => Promise<void>,
): Promise<void> {
  const before = Object.keys(values).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(values)) Deno.env.set(name, value);
  try {
    await use();
  } finally {
    for (const [name, value] of before) {
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    }
  }
}

async function inRepository(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    const git = realGit();
    assert.notEqual(await git.ask(folder, ["init", "--quiet", "--initial-branch=main"]), null);
    const author = ["-c", "user.name=A", "-c", "user.email=a@example.test"];
    assert.notEqual(
      await git.ask(folder, [...author, "commit", "--quiet", "--allow-empty", "-m", "è il primo"]),
      null,
    );
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("ask() gives the output, null outside a repository, for a failure or an absent folder", () =>
  inRepository(async (folder) => {
    const git = realGit();
    assert.equal(await git.ask(folder, ["log", "-1", "--format=%s"]), "è il primo\n");
    assert.equal(await git.ask(folder, ["rev-parse", "--verify", "nothing"]), null);
    assert.equal(await git.ask(join(folder, "absent"), ["status"]), null);
    const outside = await Deno.makeTempDir();
    assert.equal(await git.ask(outside, ["rev-parse", "HEAD"]), null);
    await Deno.remove(outside);
  }));

Deno.test("ask() asks the folder's repository though the caller's is in the environment", () =>
  inRepository((callers) =>
    inRepository(async (folder) => {
      const leak = {
        GIT_DIR: join(callers, ".git"),
        GIT_WORK_TREE: callers,
        GIT_INDEX_FILE: join(callers, ".git/index"),
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.bare",
        GIT_CONFIG_VALUE_0: "true",
        LD_PRELOAD: "",
      };
      await withEnvironment(leak, async () => {
        assert.equal(await realGit().ask(folder, ["rev-parse", "--show-toplevel"]), `${folder}\n`);
        const names = Object.keys(childEnvironment());
        assert.deepEqual(names.filter((name) => /^(GIT_|LD_)/.test(name)), []);
      });
    })
  ));

Deno.test("ask() ends git and what it started after the time limit", () =>
  inRepository(async (folder) => {
    const started = performance.now();
    const alias = ["-c", "alias.hang=!echo begun; sleep 61.25", "hang"];
    assert.equal(await realGit(300).ask(folder, alias), null);
    assert.ok(performance.now() - started < 10_000);
    const { stdout } = await new Deno.Command("ps", { args: ["-eo", "args"] }).output();
    assert.ok(!/^sleep 61\.25/m.test(new TextDecoder().decode(stdout)));
  }));
