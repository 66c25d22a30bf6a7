/**
 * What do the hooks cost at a commit? The shipped suites in a repository of their own, the real shim,
 * and three commits: one that touches nothing, one whose tree was never judged, one that is tried
 * again. Each over the cost of an empty script. Needs git.
 */
import { type Command, cpuOf } from "./measure.ts";

const repository = new URL("../..", import.meta.url).pathname;
const PARTS = ["scenarios", "fixtures", "gates", "reports/baselines", "collaudo.yaml"];
const TIMES = 6;

/** Targets, in empty scripts: of a tree never judged, of both hooks once it is, and without a trigger. */
const TARGETS = { fresh: 40, known: 10, untouched: 1 } as const;

/** Prints one row for each kind of commit; `row` as the bench prints it. */
export async function benchHooks(
  folder: string,
  empty: number,
  row: (name: string, found: number, target: number) => void,
): Promise<void> {
  const top = `${folder}/hooks`;
  await layProject(top);
  const shim = `${top}/.git/collaudo/hook`;
  await Deno.writeTextFile(`${top}/notes.md`, "a note\n");
  await git(top, "add", "-A");
  const both = async () =>
    await cpuOf(hook(top, [shim, "pre-commit"])) +
    await cpuOf(hook(top, [shim, "commit-msg", "message"]));
  row("CPU of both hooks, nothing that triggers", await least(both) / empty, TARGETS.untouched);

  const [suite] = [...Deno.readDirSync(`${top}/scenarios`)].map(({ name }) => name).sort();
  const [file] = [...Deno.readDirSync(`${top}/scenarios/${suite}`)].map(({ name }) => name).sort();
  const path = `${top}/scenarios/${suite}/${file}`;
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace(/^description: .*$/m, "$& again"));
  await git(top, "add", "-A");
  const fresh = async () => {
    await Deno.remove(`${top}/.git/collaudo/verdicts`, { recursive: true }).catch(() => {});
    return await cpuOf(hook(top, [shim, "pre-commit"]));
  };
  row("CPU of the hook, a tree never judged", await least(fresh) / empty, TARGETS.fresh);
  row("CPU of both hooks, the tree tried again", await least(both) / empty, TARGETS.known);
}

async function layProject(top: string): Promise<void> {
  await Deno.mkdir(top);
  for (const part of PARTS) await copy(`${repository}${part}`, `${top}/${part}`);
  await Deno.writeTextFile(`${top}/message`, "a message\n");
  await git(top, "init", "-q", "-b", "main");
  await git(top, "add", "-A");
  await git(top, "commit", "-q", "-m", "begin");
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${repository}main.ts`, "hook", "install"],
    cwd: top,
    env: { INIT_CWD: "", NO_COLOR: "1" },
  }).output();
  if (code !== 0) throw new Error(`hook install: ${new TextDecoder().decode(stderr)}`);
}

async function copy(from: string, to: string): Promise<void> {
  const stat = await Deno.stat(from).catch(() => null);
  if (stat === null) return;
  if (!stat.isDirectory) return await Deno.copyFile(from, to);
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) await copy(`${from}/${name}`, `${to}/${name}`);
}

function hook(cwd: string, argv: readonly string[]): Command {
  return { argv: ["env", "GIT_AUTHOR_DATE=@1 +0000", ...argv], cwd, exits: [0, 1, 3] };
}

async function git(cwd: string, ...args: string[]): Promise<void> {
  const author = ["-c", "user.name=Bench", "-c", "user.email=bench@example.test"];
  const { code, stderr } = await new Deno.Command("git", { args: [...author, ...args], cwd })
    .output();
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** The first run warms the caches; other programs can only add to the cost of one. */
async function least(measure: () => Promise<number>): Promise<number> {
  const costs: number[] = [];
  for (let n = 0; n <= TIMES; n++) costs.push(await measure());
  return Math.min(...costs.slice(1));
}
