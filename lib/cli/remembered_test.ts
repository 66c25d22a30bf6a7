/** Is what was loaded before given again only where nothing that it rests on has changed? */
import assert from "node:assert/strict";
import { memoryFiles } from "../load/memory_files.ts";
import type { Files } from "../model/ports.ts";
import type { Problem } from "../model/problem.ts";
import { isSame, noted } from "./asked_files.ts";
import { type Codec, type Memory, remembered } from "./remembered.ts";
import { loadGateAt, loadProject, loadSelected } from "./remembered_loads.ts";

const FOLDER = "/p/reports/.cache";

interface Text {
  readonly text: string;
  readonly problems: readonly Problem[];
}

const CODEC: Codec<Text> = {
  write: (value) => ({ text: value.text, problems: [] }),
  read: (json) => json as unknown as Text,
};

/** Counts how often the file `/p/a` is really read; `ask` says what came of it. */
function counted(files: Files, build = "b1") {
  let loads = 0;
  const memory: Memory = { files, folder: FOLDER, build };
  const ask = async (question = "q", problems: Problem[] = []) => {
    const { text } = await remembered(memory, {
      question,
      codec: CODEC,
      load: async (seen) => {
        loads++;
        const names = await seen.list("/p/below");
        const there = await seen.stat("/p/maybe");
        return { text: `${await seen.readText("/p/a")}${names.length}${there?.kind}`, problems };
      },
    });
    return { text, loads };
  };
  return { ask, memory };
}

const ERROR: Problem = {
  code: "c",
  severity: "error",
  file: "a",
  line: 1,
  col: 1,
  length: 1,
  what: "w",
  fix: "f",
};

async function entryOf(files: Files): Promise<string> {
  const names = (await files.list(FOLDER)).map(({ name }) => name);
  const entries = names.filter((name) => name.endsWith(".entry"));
  assert.equal(entries.length, 1, names.join(" "));
  return `${FOLDER}/${entries[0]}`;
}

Deno.test("remembered() gives a load again until an answer of the disk, the question or the program differs", async () => {
  const files = memoryFiles({ "/p/a": "one", "/p/below/x": "" });
  const { ask } = counted(files);
  assert.deepEqual(await ask(), { text: "one1undefined", loads: 1 });
  assert.deepEqual(await ask(), { text: "one1undefined", loads: 1 });
  await files.writeText("/p/a", "two");
  assert.deepEqual(await ask(), { text: "two1undefined", loads: 2 });
  await files.writeText("/p/below/y", "");
  assert.deepEqual(await ask(), { text: "two2undefined", loads: 3 });
  await files.writeText("/p/maybe", "");
  assert.deepEqual(await ask(), { text: "two2file", loads: 4 });
  assert.deepEqual(await ask(), { text: "two2file", loads: 4 });
  assert.deepEqual(await ask("another"), { text: "two2file", loads: 5 });
  assert.equal((await counted(files, "b2").ask()).loads, 1);
  await files.remove("/p/a");
  await assert.rejects(ask(), /Cannot read "\/p\/a"/);
});

Deno.test("remembered() loads anew where its entry is not what it wrote", async () => {
  const spoils: readonly ((text: string) => string)[] = [
    () => "",
    () => "{}",
    (text) => text.slice(0, -1),
    (text) => text.replace("one0undefined", "bad0undefined"),
    (text) => text.slice(text.indexOf("\n") + 1),
  ];
  for (const spoil of spoils) {
    const files = memoryFiles({ "/p/a": "one" });
    const { ask } = counted(files);
    await ask();
    const path = await entryOf(files);
    await files.writeText(path, spoil(await files.readText(path)));
    assert.deepEqual(await ask(), { text: "one0undefined", loads: 2 });
    assert.deepEqual(await ask(), { text: "one0undefined", loads: 2 });
  }
  const files = memoryFiles({ "/p/a": "one" });
  const { ask } = counted(files);
  await ask("first");
  const first = await entryOf(files);
  await ask("second");
  const [second] = (await files.list(FOLDER)).map(({ name }) => `${FOLDER}/${name}`)
    .filter((path) => path.endsWith(".entry") && path !== first);
  await files.writeText(second ?? "", await files.readText(first));
  assert.equal((await ask("second")).loads, 3);
});

Deno.test("remembered() keeps nothing that had an error, that JSON would change or that has no folder", async () => {
  const files = memoryFiles({ "/p/a": "one" });
  const { ask } = counted(files);
  assert.equal((await ask("q", [ERROR])).loads, 1);
  assert.equal((await ask("q", [ERROR])).loads, 2);
  const changed: Codec<Text> = { ...CODEC, write: () => ({ text: -0, problems: [] }) };
  const load = () => Promise.resolve({ text: "t", problems: [] });
  const { memory } = counted(files);
  await remembered(memory, { question: "zero", codec: changed, load });
  const full = { ...files, writeText: () => Promise.reject(new Error("No space")) };
  assert.equal((await counted(full).ask()).text, "one0undefined");
  assert.deepEqual(await files.list(FOLDER), []);
});

Deno.test("noted() makes void what cannot be compared: a database, a stream, a failure, a file that changed", async () => {
  const texts = { "/p/a": "one" };
  const cases: readonly ((files: Files) => Promise<unknown>)[] = [
    (files) => files.readSqlite("/p/a"),
    (files) => files.readBytes("/p/none"),
    (files) => files.realPath("/p/none"),
    (files) => files.writeText("/p/b", ""),
    (files) => files.readLines("/p/a")[Symbol.asyncIterator]().next(),
    async (files) => {
      await files.readText("/p/a");
      await files.writeText("/p/a", "two");
      await files.readBytes("/p/a");
    },
  ];
  for (const use of cases) {
    const { files, asked } = noted(memoryFiles(texts));
    await use(files).catch(() => undefined);
    assert.equal(asked(), null);
  }
  const files = memoryFiles(texts);
  assert.equal(await isSame(files, [["content", "/p/gone", "sha256:0"]]), false);
});

Deno.test("what is remembered of a project, its scenarios and its gate is what was loaded", async () => {
  const tools =
    "tools:\n  save: {description: d, effect: write, input: {type: object}, set: {'notes/n1': {text: hello}}}\n";
  const scenario = (id: string) =>
    `id: ${id}\ndescription: A note is saved\ncategory: memory\nsetup: {state: fixtures/state.json, tools: [fixtures/tools.yaml]}\n` +
    `conversation: [{user: "Save it"}]\nexpected:\n  state: {changes: {notes/n1: {text: hello}}}\n  messages: []\n`;
  const texts: Record<string, string> = {
    "/p/collaudo.yaml": "zone: Europe/Rome\n",
    "/p/fixtures/state.json": '{"notes": {}, "lists": {"1001": {"items": ["a"]}}}\n',
    "/p/fixtures/tools.yaml": tools,
    "/p/scenarios/home/one.yaml": scenario("one"),
    "/p/scenarios/home/two.yaml": scenario("two"),
    "/p/gates/release.yaml":
      "gate: release\nversion: 1\nreason: The first\nrules:\n  - {id: all, require: task_success >= 0.9, because: It must work}\n",
  };
  const files = memoryFiles(texts);
  const memory: Memory = { files, folder: FOLDER, build: "b1" };
  const all = async (memory: Memory | null, files: Files) => {
    const { project, problems } = await loadProject(files, "/p/scenarios", memory);
    assert.ok(project !== null, JSON.stringify(problems));
    const source = { files, project, memory };
    const selected = await loadSelected(source, { paths: [], only: ["home"] });
    const gate = await loadGateAt(source, "/p/gates/release.yaml");
    return { project, selected, gate };
  };
  const fresh = await all(null, files);
  assert.equal(fresh.selected.scenarios.length, 2, JSON.stringify(fresh.selected.problems));
  assert.deepEqual(await all(memory, files), fresh);
  const reads: string[] = [];
  const seen: Files = {
    ...files,
    readBytes: (path) => {
      reads.push(path);
      return files.readBytes(path);
    },
  };
  const again = await all({ ...memory, files: seen }, files);
  assert.deepEqual(again, fresh);
  assert.ok(reads.includes("/p/fixtures/tools.yaml"));
  const [one, two] = again.selected.scenarios;
  assert.equal(one?.tools, two?.tools);
  assert.equal(one?.state, two?.state);
  await files.writeText("/p/fixtures/tools.yaml", tools.replace("set:", "sett:"));
  const broken = await loadSelected({ files, project: fresh.project, memory }, {
    paths: [],
    only: ["home"],
  });
  assert.deepEqual(broken.scenarios, []);
  assert.match(broken.problems.map(({ code }) => code).join(" "), /unknown-key/);
});
