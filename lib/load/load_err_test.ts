/**
 * Every broken input of `testdata/load/err` is refused, with exactly the words beside it.
 * `UPDATE_GOLDEN=1` rewrites the `.out` files. A case is laid over the project in
 * `testdata/load/base`: its name says where (`tools-…` is the tools file), a `.txt` holds several
 * files after lines `-- path --`, with `-> path` for a link and `only:` or `paths:` for a selection.
 */
import assert from "node:assert/strict";
import { renderProblems } from "../report/problems.ts";
import { hasErrors, type Problem } from "../model/problem.ts";
import { loadBaseline } from "./baseline.ts";
import { loadGate } from "./gate.ts";
import { memoryFiles } from "./memory_files.ts";
import { findProject } from "./project.ts";
import { recordingProblems } from "./recordings.ts";
import { loadReport } from "./report.ts";
import { readRuns } from "./runs.ts";
import { loadScenarios } from "./scenarios.ts";

const ERR = new URL("../../testdata/load/err/", import.meta.url);
const BASE = new URL("../../testdata/load/base/", import.meta.url);
const ROOT = "/project";

interface Case {
  readonly texts: Record<string, string | Uint8Array>;
  readonly links: Record<string, string>;
  readonly only: string[];
  readonly paths: string[];
  readonly loads: string;
}

function readFolder(folder: URL, below = ""): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const entry of Deno.readDirSync(folder)) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const url = new URL(entry.isDirectory ? `${entry.name}/` : entry.name, folder);
    if (entry.isDirectory) Object.assign(texts, readFolder(url, path));
    else texts[path] = Deno.readTextFileSync(url);
  }
  return texts;
}

/** Where a case's single file lies in the project. */
function placeOf(name: string, kind: string): { file: string; paths: string[]; loads: string } {
  const stem = name.slice(0, name.lastIndexOf("."));
  switch (kind) {
    case "tools":
      return {
        file: "fixtures/shop/tools.yaml",
        paths: ["scenarios/shop/reads.yaml"],
        loads: "scenarios",
      };
    case "state":
      return { file: "fixtures/shop/state.json", paths: [], loads: "scenarios" };
    case "config":
      return { file: "collaudo.yaml", paths: [], loads: "project" };
    case "gate":
      return { file: "gates/release.yaml", paths: [], loads: "gate" };
    case "recording":
      return { file: `fixtures/recordings/good/${stem}.yaml`, paths: [], loads: "scenarios" };
    case "baseline":
      return { file: "reports/baselines/production.json", paths: [], loads: "baseline" };
    case "report":
      return { file: "reports/runs/1/report.json", paths: [], loads: "report" };
    case "runs":
      return { file: "runs.jsonl", paths: [], loads: "runs" };
    default: {
      const file = `scenarios/shop/${stem}.yaml`;
      return { file, paths: [file], loads: "scenarios" };
    }
  }
}

function readCase(name: string): Case {
  const bytes = Deno.readFileSync(new URL(name, ERR));
  const kind = name.split("-")[0] ?? "";
  const texts: Record<string, string | Uint8Array> = {};
  const links: Record<string, string> = {};
  const only: string[] = [];
  if (!name.endsWith(".txt")) {
    const { file, paths, loads } = placeOf(name, kind);
    texts[file] = bytes;
    return { texts, links, only, paths, loads };
  }
  const paths: string[] = [];
  let loads = "scenarios";
  for (
    const part of new TextDecoder().decode(bytes).split(/^(?=-- .* --$|only: |paths: |loads: )/m)
  ) {
    const file = /^-- (.*) --\n/.exec(part);
    if (file !== null) {
      const body = part.slice(file[0].length);
      const link = /^-> (.*)\n/.exec(body);
      if (link === null) texts[file[1] ?? ""] = body;
      else links[`${ROOT}/${file[1]}`] = link[1] ?? "";
      continue;
    }
    const option = /^(only|paths|loads): (.*)\n/.exec(part);
    if (option?.[1] === "only") only.push(option[2] ?? "");
    else if (option?.[1] === "paths") paths.push(option[2] ?? "");
    else if (option?.[1] === "loads") loads = option[2] ?? "";
  }
  return { texts, links, only, paths, loads };
}

const base = readFolder(BASE);

async function problemsOf({ texts, links, only, paths, loads }: Case): Promise<Problem[]> {
  const all: Record<string, string | Uint8Array> = {};
  for (const [file, text] of Object.entries({ ...base, ...texts })) {
    if (text.length > 0 || text instanceof Uint8Array) {
      all[file.startsWith("/") ? file : `${ROOT}/${file}`] = text;
    }
  }
  if (texts["GONE"] !== undefined) {
    for (const gone of String(texts["GONE"]).trim().split("\n")) {
      for (const file of Object.keys(all)) if (file.startsWith(`${ROOT}/${gone}`)) delete all[file];
    }
  }
  const files = memoryFiles(all, links);
  const { project, problems } = await findProject(files, ROOT);
  if (project === null || loads === "project") return [...problems];
  if (loads === "gate") return [...(await loadGate(files, project, "gates/release.yaml")).problems];
  if (loads === "baseline") return [...(await loadBaseline(files, project, "production")).problems];
  if (loads === "report") {
    return [...(await loadReport(files, project, "reports/runs/1/report.json")).problems];
  }
  if (loads === "runs") {
    const found: Problem[] = [];
    for await (const read of readRuns(files, project, "runs.jsonl")) {
      if ("problem" in read) found.push(read.problem);
    }
    return found;
  }
  const loaded = await loadScenarios(files, project, { paths, only });
  return loads === "validate"
    ? [...loaded.problems, ...loaded.scenarios.flatMap(recordingProblems)]
    : [...loaded.problems];
}

function sourcesOf({ texts }: Case): Map<string, string> {
  const gone = String(texts["GONE"] ?? "").trim().split("\n").filter((file) => file !== "");
  const decode = (text: string | Uint8Array) =>
    typeof text === "string" ? text : new TextDecoder().decode(text);
  return new Map(
    Object.entries({ ...base, ...texts })
      .filter(([file]) => !gone.some((one) => file.startsWith(one)))
      .map(([file, text]) => [file, decode(text)]),
  );
}

const names = [...Deno.readDirSync(ERR)].map((entry) => entry.name)
  .filter((name) => !name.endsWith(".out")).sort();
const codes = new Set<string>();

Deno.test("the project that the broken inputs are laid over is sound", async () => {
  const problems = await problemsOf({
    texts: {},
    links: {},
    only: [],
    paths: [],
    loads: "validate",
  });
  assert.equal(renderProblems(problems, sourcesOf({ texts: {} } as Case)), "");
});

Deno.test("load refuses every broken input, in exactly these words", async (test) => {
  for (const name of names) {
    await test.step(name, async () => {
      const one = readCase(name);
      const problems = await problemsOf(one);
      for (const problem of problems) codes.add(problem.code);
      const actual = renderProblems(problems, sourcesOf(one));
      const out = new URL(`${name.slice(0, name.lastIndexOf("."))}.out`, ERR);
      if (Deno.env.get("UPDATE_GOLDEN") === "1") Deno.writeTextFileSync(out, actual);
      assert.equal(actual, Deno.readTextFileSync(out));
      assert.ok(hasErrors(problems), "no error among the problems: the input passes");
    });
  }
});

Deno.test("the broken inputs are many and differ", () => {
  assert.ok(names.length >= 60, `${names.length} inputs`);
  assert.ok(codes.size >= 40, `${codes.size} codes: ${[...codes].sort().join(" ")}`);
});
