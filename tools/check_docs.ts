/**
 * Is what README.md and docs/ show true today? A fence ```console holds commands with their whole
 * output (`$ …` in this repository, `$ npx collaudo …` in the project that the page shows), a fence
 * under `<!-- file: PATH -->` that file, `<!-- keys: SCHEMA PATH -->` … `<!-- end -->` a table of
 * keys; other examples must load. Exits 1 where one differs or is refused; `--write` puts the true
 * text in its place. Times and commits in report folders are written as placeholders.
 */
import { join } from "node:path";
import { checkBlock } from "./docs/block_check.ts";
import { type Example, examplesIn } from "./docs/examples.ts";
import { keyTable, type Schema } from "./docs/key_table.ts";
import { type OwnProject, ownProject } from "./docs/own_project.ts";

const ROOT = join(import.meta.dirname ?? ".", "..");

/** A page while it is made again: what is stale, what is wrong, and the project that it shows. */
interface Page {
  readonly name: string;
  readonly text: string;
  readonly stale: string[];
  readonly wrong: string[];
  readonly project: OwnProject;
}

/** What changes from run to run, in words that do not. */
export function steady(output: string): string {
  return output
    .replaceAll(
      /reports\/runs\/\d{4}-[\dTZ-]+-(?:[0-9a-f]{7,}|nogit)(?:-\d+)?/g,
      "reports/runs/<time>-<commit>",
    )
    .replaceAll(/[ \t]+$/gm, "");
}

interface Said {
  readonly text: string;
  readonly code: number;
}

async function runHere(command: string): Promise<Said> {
  const script = command.replace(/^deno task /, '"$DENO" task --quiet ');
  const { stdout, code } = await new Deno.Command("sh", {
    args: ["-c", `{ ${script}\n} 2>&1`],
    cwd: ROOT,
    env: { DENO: Deno.execPath(), INIT_CWD: ROOT, NO_COLOR: "1" },
    stdin: "null",
    stderr: "inherit",
  }).output();
  return { text: new TextDecoder().decode(stdout), code };
}

async function session(page: Page, inside: string): Promise<string> {
  const commands = inside.split("\n").filter((line) => line.startsWith("$ "));
  let text = "";
  let last = 0;
  for (const command of commands.map((line) => line.slice(2))) {
    const said = command === "echo $?" ? { text: `${last}\n`, code: 0 } : await run(page, command);
    const shown = steady(said.text);
    text += `$ ${command}\n${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}`;
    last = said.code;
  }
  return text;
}

async function run(page: Page, command: string): Promise<Said> {
  return command.startsWith("npx collaudo")
    ? await page.project.run(command)
    : await runHere(command);
}

/** The true inside of an example; one that is refused stays, with its problems on the page's list. */
async function remade(page: Page, example: Example): Promise<string> {
  const { shows } = example;
  const inside = page.text.slice(example.start, example.end);
  if (shows.kind === "console") return await session(page, inside);
  if (shows.kind === "keys") return await table(page, example, inside);
  if (shows.kind === "file") {
    const content = await Deno.readTextFile(join(ROOT, shows.path));
    return content.endsWith("\n") ? content : `${content}\n`;
  }
  if (shows.words[1] === "project") return inside;
  for (const { line, what } of await checkBlock(ROOT, shows.words, inside)) {
    page.wrong.push(`${page.name}:${example.line + line - 1}: ${what}`);
  }
  return inside;
}

async function table(page: Page, example: Example, before: string): Promise<string> {
  if (example.shows.kind !== "keys") return before;
  const { schema: name, path } = example.shows;
  const schema = JSON.parse(await Deno.readTextFile(join(ROOT, `schemas/${name}.json`))) as Schema;
  const { text, wordless } = keyTable(schema, path, before);
  for (const key of wordless) {
    page.wrong.push(
      `${page.name}:${example.line}: Key "${key}" has no words: write them into the last column`,
    );
  }
  return text;
}

/** The files of a page's own project, by path. */
export function projectFiles(text: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const { start, end, shows } of examplesIn(text)) {
    if (shows.kind !== "block" || shows.words[1] !== "project") continue;
    files.set(shows.words[2] ?? "", text.slice(start, end));
  }
  return files;
}

/** The page with its examples made again, in their order: commands see what those before them did. */
async function refreshed(page: Page): Promise<string> {
  let fresh = "";
  let from = 0;
  for (const example of examplesIn(page.text)) {
    const now = await remade(page, example);
    if (now !== page.text.slice(example.start, example.end)) {
      page.stale.push(
        `${page.name}:${example.line}: The example differs from what the program says now\n${now}`,
      );
    }
    fresh += page.text.slice(from, example.start) + now;
    from = example.end;
  }
  return fresh + page.text.slice(from);
}

function pageNames(): string[] {
  const docs = [...Deno.readDirSync(join(ROOT, "docs"))].map(({ name }) => `docs/${name}`).sort();
  const top = [...Deno.readDirSync(ROOT)].map(({ name }) => name).filter((name) =>
    name === "README.md"
  );
  return [...top, ...docs].filter((page) => page.endsWith(".md"));
}

async function main(args: readonly string[]): Promise<number> {
  const write = args.includes("--write");
  const chosen = args.filter((arg) => !arg.startsWith("--"));
  let examples = 0;
  const stale: string[] = [];
  const wrong: string[] = [];
  for (const name of pageNames().filter((one) => chosen.length === 0 || chosen.includes(one))) {
    const text = await Deno.readTextFile(join(ROOT, name));
    const own = projectFiles(text);
    if (own.size > 0 && !/^\$ npx collaudo/m.test(text)) {
      wrong.push(`${name}:1: The page shows a project in which it runs nothing`);
    }
    const page = { name, text, stale, wrong, project: ownProject(own) };
    const fresh = await refreshed(page);
    examples += examplesIn(text).length;
    if (write && fresh !== text) await Deno.writeTextFile(join(ROOT, name), fresh);
  }
  if (stale.length + wrong.length === 0) console.log(`docs are fresh: ${examples} examples`);
  else console.log([...stale, ...wrong].join("\n"));
  if (stale.length > 0 && !write) console.log("fix: deno task docs");
  return wrong.length > 0 || (stale.length > 0 && !write) ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
