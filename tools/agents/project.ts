/**
 * What do the programs play? A copy of this project's workflow suite and of a few scenarios of the
 * tests (testdata/agents/project) in a temporary folder, with or without the sandbox in the entries of
 * the agents. Nothing of this folder is written.
 */
import { join } from "node:path";

const ROOT = join(import.meta.dirname ?? ".", "../..");
const OWN = join(ROOT, "testdata/agents/project");

/** What is copied; one that is not there is an error. */
const TAKEN = ["fixtures/agents", "fixtures/workflow", "fixtures/prompts", "scenarios/workflow"];

/** Makes the project in a new folder and gives its path. */
export async function makeProject(
  project: string,
  { sandbox }: { readonly sandbox: boolean },
): Promise<string> {
  for (const part of [...TAKEN, "gates"]) await copy(join(ROOT, part), join(project, part));
  for await (const { name } of Deno.readDir(join(project, "scenarios/workflow"))) {
    const recordings = `fixtures/recordings/${name.replace(/\.yaml$/, "")}`;
    await copy(join(ROOT, recordings), join(project, recordings));
  }
  for (const part of ["fixtures", "scenarios"]) await copy(join(OWN, part), join(project, part));
  await Deno.writeTextFile(join(project, "collaudo.yaml"), await configuration(sandbox));
  return project;
}

/** This project's configuration with the entries of the tests, as a text: so its notes stay. */
async function configuration(sandbox: boolean): Promise<string> {
  let text = await Deno.readTextFile(join(ROOT, "collaudo.yaml"));
  for (const [section, file] of [["agents", "agents.yaml"], ["models", "models.yaml"]] as const) {
    text = inserted(text, section, await Deno.readTextFile(join(OWN, file)));
  }
  text = inserted(text, "locale", "").replace(/^locale: \w+$/m, "locale: en");
  if (!sandbox) return text;
  return text.replaceAll(/^ {4}kind: command$/gm, "$&\n    isolation: bwrap");
}

function inserted(text: string, key: string, lines: string): string {
  const found = new RegExp(`^${key}:.*\n`, "m").exec(text);
  if (found === null) throw new Error(`collaudo.yaml has no key "${key}" at its top`);
  const at = found.index + found[0].length;
  return text.slice(0, at) + lines + text.slice(at);
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copy(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
