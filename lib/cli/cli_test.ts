/**
 * Does the whole program do what its users see? Each `testdata/cli/*.txt` is a folder, commands and
 * their exact output, run in a process of its own. Lines: `# what it shows`, `project NAME`,
 * `env NAME=value`, `file PATH` with `| content` lines, `replace PATH` with `- old` and `+ new`,
 * `delete PATH`, `$ eval …` or `$ cat GLOB`, then `> stdout`, `! stderr`, `= exit code`.
 * UPDATE_GOLDEN=1 rewrites what follows each command.
 */
import { deepEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CASES = join(ROOT, "testdata/cli");
const UPDATE = Deno.env.get("UPDATE_GOLDEN") === "1";

for (const entry of [...Deno.readDirSync(CASES)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  if (!entry.name.endsWith(".txt")) continue;
  const path = join(CASES, entry.name);
  Deno.test(`cli: ${entry.name.slice(0, -4)}`, async () => {
    const wanted = await Deno.readTextFile(path);
    const found = await perform(wanted);
    if (UPDATE && found !== wanted) await Deno.writeTextFile(path, found);
    else deepEqual(found.split("\n"), wanted.split("\n"));
  });
}

/** The text of a case with what its commands really printed. */
async function perform(text: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "collaudo cli " });
  const env: Record<string, string> = { NO_COLOR: "1" };
  const lines = text.split("\n");
  const output: string[] = [];
  try {
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i] ?? "";
      if (/^[>!=]/.test(line)) continue;
      output.push(line);
      const body = block(lines, i);
      if (line.startsWith("$ ")) output.push(...await command(line.slice(2), folder, env));
      else await prepare(line, { folder, env, body });
    }
    return output.join("\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The `|`, `-` and `+` lines that follow line `i`. */
function block(lines: readonly string[], i: number): string[] {
  const body: string[] = [];
  for (const line of lines.slice(i + 1)) {
    if (!/^[|+-]/.test(line)) break;
    body.push(line);
  }
  return body;
}

async function prepare(
  line: string,
  { folder, env, body }: {
    readonly folder: string;
    readonly env: Record<string, string>;
    readonly body: readonly string[];
  },
): Promise<void> {
  const [verb, rest = ""] = [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)];
  const path = join(folder, rest);
  if (verb === "project") await copyFolder(join(CASES, "projects", rest), folder);
  else if (verb === "env") {
    env[rest.slice(0, rest.indexOf("="))] = rest.slice(rest.indexOf("=") + 1);
  } else if (verb === "delete") await Deno.remove(path, { recursive: true });
  else if (verb === "file") {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, `${body.map((each) => each.slice(2)).join("\n")}\n`);
  } else if (verb === "replace") {
    const side = (sign: string) =>
      body.filter((each) => each.startsWith(sign)).map((each) => each.slice(2)).join("\n");
    const before = await Deno.readTextFile(path);
    if (!before.includes(side("-"))) throw new Error(`"${side("-")}" is not in ${rest}`);
    await Deno.writeTextFile(path, before.replace(side("-"), () => side("+")));
  } else if (!/^([#|+-].*|)$/.test(line)) throw new Error(`Unknown line: ${line}`);
}

async function copyFolder(from: string, to: string): Promise<void> {
  for await (const entry of Deno.readDir(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory) {
      await Deno.mkdir(target, { recursive: true });
      await copyFolder(source, target);
    } else await Deno.copyFile(source, target);
  }
}

async function command(
  line: string,
  folder: string,
  env: Record<string, string>,
): Promise<string[]> {
  const [name, ...args] = words(line);
  if (name === "cat") return shown(">", await only(folder, args[0] ?? ""), folder);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-all", join(ROOT, "main.ts"), ...args],
    cwd: folder,
    env: { ...env, INIT_CWD: "" },
    stdin: "null",
  });
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return [
    ...shown(">", text(stdout), folder),
    ...shown("!", text(stderr), folder),
    `= ${code}`,
  ];
}

function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((found) => found[1] ?? found[2] ?? "");
}

/** The text of the only file that fits a path in which one part may be `*`. */
async function only(folder: string, glob: string): Promise<string> {
  let paths = [folder];
  for (const part of glob.split("/")) {
    if (part !== "*") paths = paths.map((path) => join(path, part));
    else {paths = paths.flatMap((path) =>
        [...Deno.readDirSync(path)].map((e) => join(path, e.name))
      );}
  }
  if (paths.length !== 1) throw new Error(`${glob} fits ${paths.length} files`);
  return await Deno.readTextFile(paths[0] ?? "");
}

function shown(sign: string, text: string, folder: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n").map((line) =>
    `${sign} ${steady(line, folder)}`.trimEnd()
  );
}

/** A line without what differs from machine to machine and from time to time. */
function steady(line: string, folder: string): string {
  return line
    .replaceAll(folder, "<folder>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+)?(Z|[+-]\d\d[:-]?\d\d)/g, "<time>")
    .replaceAll(
      /\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d(?!:)/g,
      "<day and time>",
    )
    .replaceAll(Deno.version.deno, "<deno>")
    .replaceAll(/127\.0\.0\.1:\d+/g, "<server>");
}
