/**
 * Are the examples in README.md and docs/ what the program says today? A fence ```console holds
 * commands (`$ …`, run in the project's folder, `$ echo $?` for the last exit code) with their whole
 * output; a fence under `<!-- file: PATH -->` holds that file. Exits 1 where one differs; `--write`
 * puts the true text in its place. Times and commits in report folders are written as placeholders.
 */
import { join } from "node:path";

const ROOT = join(import.meta.dirname ?? ".", "..");

/** A fenced block: where its inside begins and ends in the text, and what it is meant to show. */
export interface Example {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly shows: { readonly kind: "console" } | { readonly kind: "file"; readonly path: string };
}

/** The blocks of a Markdown text that can be made again. */
export function examplesIn(text: string): Example[] {
  const fence = /(?:<!-- file: (\S+) -->\n)?^```([\w-]*)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fence)].flatMap((match): Example[] => {
    const [whole, path, language, inside = ""] = match;
    const end = match.index + whole.length - 3;
    const start = end - inside.length;
    const line = text.slice(0, start).split("\n").length;
    if (path !== undefined) return [{ start, end, line, shows: { kind: "file", path } }];
    return language === "console" ? [{ start, end, line, shows: { kind: "console" } }] : [];
  });
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

async function output(command: string): Promise<{ text: string; code: number }> {
  const script = command.replace(/^deno task /, '"$DENO" task --quiet ');
  const { stdout, code } = await new Deno.Command("sh", {
    args: ["-c", `{ ${script}\n} 2>&1`],
    cwd: ROOT,
    env: { DENO: Deno.execPath(), INIT_CWD: ROOT, NO_COLOR: "1" },
    stdin: "null",
    stderr: "inherit",
  }).output();
  return { text: steady(new TextDecoder().decode(stdout)), code };
}

async function session(inside: string): Promise<string> {
  const commands = inside.split("\n").filter((line) => line.startsWith("$ "));
  let text = "";
  let last = 0;
  for (const command of commands) {
    const asked = command === "$ echo $?";
    const said = asked ? { text: `${last}\n`, code: 0 } : await output(command.slice(2));
    text += `${command}\n${said.text}${said.text === "" || said.text.endsWith("\n") ? "" : "\n"}`;
    last = said.code;
  }
  return text;
}

async function remade(text: string, example: Example): Promise<string> {
  const inside = text.slice(example.start, example.end);
  if (example.shows.kind === "console") return await session(inside);
  const content = await Deno.readTextFile(join(ROOT, example.shows.path));
  return content.endsWith("\n") ? content : `${content}\n`;
}

/** The text with its examples made again, and a line for each that was stale. */
async function refreshed(page: string, text: string): Promise<{ text: string; stale: string[] }> {
  const stale: string[] = [];
  let fresh = text;
  for (const example of examplesIn(text).reverse()) {
    const now = await remade(text, example);
    if (now === text.slice(example.start, example.end)) continue;
    stale.unshift(
      `${page}:${example.line}: The example differs from what the program says now\n${now}`,
    );
    fresh = fresh.slice(0, example.start) + now + fresh.slice(example.end);
  }
  return { text: fresh, stale };
}

function pages(): string[] {
  const docs = [...Deno.readDirSync(join(ROOT, "docs"))].map(({ name }) => `docs/${name}`).sort();
  const top = [...Deno.readDirSync(ROOT)].map(({ name }) => name).filter((name) =>
    name === "README.md"
  );
  return [...top, ...docs].filter((page) => page.endsWith(".md"));
}

async function main(write: boolean): Promise<number> {
  let examples = 0;
  const stale: string[] = [];
  for (const page of pages()) {
    const text = await Deno.readTextFile(join(ROOT, page));
    const found = await refreshed(page, text);
    examples += examplesIn(text).length;
    stale.push(...found.stale);
    if (write && found.stale.length > 0) await Deno.writeTextFile(join(ROOT, page), found.text);
  }
  if (stale.length === 0) console.log(`docs are fresh: ${examples} examples`);
  else console.log(stale.join("\n"));
  if (stale.length > 0 && !write) console.log("fix: deno task docs");
  return stale.length > 0 && !write ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--write")));
