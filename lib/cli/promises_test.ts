/**
 * Do the promises about a whole run hold? Two replays give the same bytes but for the time, parallel
 * runs tell the same in the same order, run files grade again to the same verdicts, and a planted
 * secret is in no output whatever carries it. Each in a process of its own, on small projects.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Report } from "../model/report.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(cwd: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", join(ROOT, "main.ts"), ...args],
    cwd,
    env: { INIT_CWD: "", NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "collaudo promises " });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function filesBelow(folder: string, below = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const entry of Deno.readDir(join(folder, below))) {
    const name = join(below, entry.name);
    if (entry.isDirectory) { for (const [k, v] of await filesBelow(folder, name)) files.set(k, v); }
    else files.set(name, await Deno.readTextFile(join(folder, name)));
  }
  return files;
}

async function reportOf(folder: string): Promise<Report> {
  return JSON.parse(await Deno.readTextFile(join(folder, "report.json")));
}

/** The shipped suites in a folder of their own, so that nothing changes them meanwhile. */
async function copySuites(folder: string): Promise<string> {
  const project = join(folder, "project");
  for (const part of ["scenarios", "fixtures", "gates"]) {
    for (const [name, text] of await filesBelow(join(ROOT, part))) {
      await Deno.mkdir(join(project, part, name, ".."), { recursive: true });
      await Deno.writeTextFile(join(project, part, name), text);
    }
  }
  await Deno.copyFile(join(ROOT, "collaudo.yaml"), join(project, "collaudo.yaml"));
  return project;
}

/** Scenarios that need no programs: what a test program prints of its time differs each time. */
const SIMULATED = ["scenarios/crm", "scenarios/home"];

Deno.test("the shipped suites replay twice to the same bytes but for the time, in parallel too", async () => {
  await inFolder(async (folder) => {
    const project = await copySuites(folder);
    for (const [name, jobs] of [["a", "1"], ["b", "4"]] as const) {
      const ran = await run(project, [...SIMULATED, "--out", join(folder, name), "--jobs", jobs]);
      equal(ran.code, 0, ran.out + ran.err);
    }
    const [a, b] = [await filesBelow(join(folder, "a")), await filesBelow(join(folder, "b"))];
    deepEqual([...a.keys()].sort(), [...b.keys()].sort());
    const time = (await reportOf(join(folder, "a"))).time;
    const other = (await reportOf(join(folder, "b"))).time;
    for (const [name, text] of a) {
      const same = name === "report.md" ? withoutFirstLines(text) : text.replaceAll(time, other);
      const wanted = b.get(name) ?? "";
      ok(same === (name === "report.md" ? withoutFirstLines(wanted) : wanted), `${name} differs`);
    }
  });
});

/** The head of report.md holds the time. */
function withoutFirstLines(text: string): string {
  return text.split("\n").slice(3).join("\n");
}

Deno.test("run files of the shipped suites grade again to the same verdicts", async () => {
  await inFolder(async (folder) => {
    const project = await copySuites(folder);
    const onFiles = [
      "scenarios/workflow/read-file.yaml",
      "scenarios/workflow/k8-no-debris-no-way-around.yaml",
    ];
    const first = await run(project, [...SIMULATED, ...onFiles, "--out", join(folder, "first")]);
    equal(first.code, 0, first.out + first.err);
    const runs = [...(await filesBelow(join(folder, "first"))).keys()]
      .filter((name) => /^runs\/[^/]+\.json$/.test(name))
      .map((name) => join(folder, "first", name));
    const again = await run(project, ["grade", ...runs, "--out", join(folder, "again")]);
    equal(again.code, 0, again.out + again.err);
    const verdicts = ({ scenarios }: Report) =>
      Object.fromEntries(
        scenarios.filter(({ verdict }) => verdict !== "skipped").map((
          { id, verdict, conditions },
        ) => [id, [verdict, conditions.map((c) => c.id)]]),
      );
    deepEqual(
      verdicts(await reportOf(join(folder, "again"))),
      verdicts(await reportOf(join(folder, "first"))),
    );
  });
});

const SECRET = "correct horse battery staple 42";
const SHAPED = "sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWxYz1234567890AbCd";

Deno.test("a planted secret is in no output, whatever carries it", async () => {
  await inFolder(async (folder) => {
    await plantSecrets(folder);
    const ran = await run(folder, ["--recording", "leaks", "--out", "out"], {
      LLM_API_KEY: SECRET,
    });
    equal(ran.code, 1, ran.out + ran.err);
    const all = [ran.out, ran.err, ...(await filesBelow(join(folder, "out"))).values()].join("\n");
    for (const form of [SECRET, SHAPED, btoa(SECRET), encodeURIComponent(SECRET)]) {
      ok(!all.includes(form), `found ${form}`);
    }
    ok(all.includes("[masked:"), "what was masked is shown as masked");
  });
});

async function plantSecrets(folder: string): Promise<void> {
  const project = join(ROOT, "testdata/cli/projects/lights");
  for (const [name, text] of await filesBelow(project)) {
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, name), text);
  }
  const state = {
    lights: {
      kitchen: { name: `Kitchen ${SECRET}`, on: false },
      study: { name: SHAPED, on: false },
    },
  };
  await Deno.writeTextFile(join(folder, "fixtures/home/state.json"), JSON.stringify(state));
  const say = `I found ${SECRET} and ${btoa(SECRET)} and ${
    encodeURIComponent(SECRET)
  } and ${SHAPED}`;
  const calls = [
    { tool: "list_lights", args: {} },
    { tool: "set_light", args: { light: `study ${SECRET}`, on: true } },
    { tool: "set_light", args: { light: "study", on: true } },
  ];
  const recording = { origin: "handmade", fails: ["outcome"], turns: [{ say, calls }, { say }] };
  for (const id of ["light-on", "which-light"]) {
    await Deno.writeTextFile(
      join(folder, `fixtures/recordings/${id}/leaks.yaml`),
      JSON.stringify(recording),
    );
  }
}

Deno.test("the shipped suites are valid, and no hard condition of theirs rests on prose unsaid", async () => {
  await inFolder(async (folder) => {
    const ran = await run(await copySuites(folder), ["validate"]);
    equal(ran.code, 0, ran.out + ran.err);
    ok(!ran.err.includes("warning"), ran.err);
  });
});
