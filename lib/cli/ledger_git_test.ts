/**
 * Does `regressions.md` follow the commits of real repositories, whatever was done to them? And does
 * the whole program compare gates of revisions, judge by the base branch's gate, and honour overrides?
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  inTestRepository,
  type TestRepository,
  testRepository,
} from "../../testdata/git/repository.ts";

const SHA = `sha256:${"a".repeat(64)}`;

function overrideMessage(subject: string, reason: string, more = ""): string {
  return `${subject}\n\neval-override: ${reason}\n${more}Eval-Blocked: task-success; light-on; ${SHA}\n`;
}

/** The rows of the ledger as lists of cells. */
async function rows(repository: TestRepository): Promise<string[][]> {
  const lines = (await repository.read("regressions.md")).split("\n").slice(4);
  return lines.filter((line) => line !== "").map((line) =>
    line.slice(2, -2).split(" | ").map((cell) => cell.trim())
  );
}

async function sync(repository: TestRepository): Promise<string> {
  const { code, err } = await repository.eval("ledger", "sync");
  equal(code, 0, err);
  return await repository.read("regressions.md");
}

async function check(repository: TestRepository): Promise<number> {
  return (await repository.eval("ledger", "check")).code;
}

const short = (sha: string) => sha.slice(0, 12);

Deno.test("ledger sync writes one row an override, with its trailer, and the same bytes twice", () =>
  inTestRepository(async (repository) => {
    const hostile = "Hub | <b>late</b> @all \u202e[x](http://e.example) \u001b[31m";
    const sha = await repository.commit(overrideMessage("Late", hostile), "2026-11-05");
    await repository.commit("s\n\neval-override: <reason>\n", "2026-11-06");
    await repository.commit("s\n\n    eval-override: indented\n", "2026-11-06");
    const first = await sync(repository);
    equal(await sync(repository), first);
    const [row, ...others] = await rows(repository);
    deepEqual(others, []);
    deepEqual(row?.slice(1, 6), [
      "2026-11-05",
      "override",
      short(sha),
      "task-success",
      "light-on",
    ]);
    match(
      first,
      /Hub \\\| &lt;b&gt;late&lt;\/b&gt; @\u2060all \\\[x\\\]\\\(http:\u2060\/\/e.example\\\)/,
    );
    deepEqual(row?.slice(-3), ["2026-11-19", "anna@\u2060example.test", "reachable"]);
  }));

Deno.test("ledger check lets the newest commit's row wait, and then wants it", () =>
  inTestRepository(async (repository) => {
    equal(await check(repository), 0);
    await repository.commit(overrideMessage("Late", "The hub is late"), "2026-11-05");
    const { code, err } = await repository.eval("ledger", "check");
    equal(code, 0);
    match(err, /comes with the next commit/);
    await repository.write("note.txt", "x");
    await repository.commit("Forgets the ledger", "2026-11-06");
    const late = await repository.eval("ledger", "check");
    equal(late.code, 2);
    match(late.err, /regressions.md is not in step[^]*is missing[^]*ledger sync/);
    await sync(repository);
    await repository.commit("Ledger", "2026-11-07");
    equal(await check(repository), 0);
    await repository.replace("regressions.md", "The hub is late", "Nothing of note");
    match((await repository.eval("ledger", "check")).err, /says otherwise than commit/);
    await repository.replace("regressions.md", "| 2026-11-05 |", "| yesterday |");
    const broken = await repository.eval("ledger", "sync");
    equal(broken.code, 2);
    match(broken.err, /regressions.md:5:1[^]*"date"/);
  }));

Deno.test("ledger sync keeps one row through amend, rebase, cherry-pick and squash, and marks what is gone", () =>
  inTestRepository(async (repository) => {
    await repository.git("switch", "-q", "-c", "work");
    await repository.write("a.txt", "a");
    const old = await repository.commit(overrideMessage("Late", "The hub is late"), "2026-11-05");
    await sync(repository);
    await repository.commit("Ledger", "2026-11-06");
    await repository.git("switch", "-q", "main");
    await repository.write("b.txt", "b");
    await repository.commit("Meanwhile", "2026-11-06");
    await repository.git("switch", "-q", "work");
    await repository.git("rebase", "-q", "main");
    const rebased = await repository.git("rev-parse", "HEAD~1");
    ok(rebased !== old);
    const moved = await repository.eval("ledger", "check");
    equal(moved.code, 0);
    match(moved.err, /names other commits/);
    await sync(repository);
    deepEqual((await rows(repository)).map((row) => [row[3], row.at(-1)]), [
      [`${short(rebased)}, ${short(old)}`, `rewritten: ${short(old)}`],
    ]);
    await repository.commit("Ledger again", "2026-11-07");
    await repository.git("switch", "-q", "-c", "picked", "main");
    await repository.git("cherry-pick", "-x", rebased);
    const picked = await repository.git("rev-parse", "HEAD");
    await sync(repository);
    deepEqual((await rows(repository)).map((row) => row[3]), [short(picked)]);
    await repository.commit("Ledger of the pick", "2026-11-08");
    await repository.git("switch", "-q", "main");
    await repository.git("merge", "-q", "--squash", "work");
    await repository.commit("Squashed, says nothing", "2026-11-09");
    await sync(repository);
    const [row] = await rows(repository);
    deepEqual(row?.[3]?.split(", "), [short(rebased), short(old)].toSorted());
    equal(row?.at(-1), "rewritten");
    equal(await check(repository), 0);
  }));

Deno.test("ledger sync gives the same bytes whichever branch was merged first", () =>
  inTestRepository(async (repository) => {
    await repository.write(".gitattributes", "regressions.md merge=union\n");
    await sync(repository);
    await repository.commit("Attributes", "2026-11-02");
    for (
      const [branch, day] of [["one", "2026-11-05"], ["two", "2026-11-04"], ["three", "2026-11-05"]]
    ) {
      await repository.git("switch", "-q", "-c", branch ?? "", "main");
      await repository.write(`${branch}.txt`, "x");
      await repository.commit(overrideMessage(branch ?? "", `Reason of branch ${branch}`), day);
      await sync(repository);
      await repository.commit(`Ledger of ${branch}`, "2026-11-06");
    }
    const orders = [["one", "two", "three"], ["three", "two", "one"], ["two", "three", "one"]];
    const texts: string[] = [];
    for (const order of orders) {
      await repository.git("switch", "-q", "--detach", "main");
      for (const branch of order) {
        await repository.git("merge", "-q", "--no-ff", "--no-edit", branch);
      }
      const text = await sync(repository);
      equal(await sync(repository), text);
      texts.push(text);
      await repository.git("checkout", "-q", "--", "regressions.md");
    }
    deepEqual(texts.map((text) => text === texts[0]), [true, true, true]);
    equal((texts[0] ?? "").split("\n").length, 8);
    await repository.remove("regressions.md");
    equal(await sync(repository), texts[0]);
  }));

Deno.test("ledger sync tells loosened gates and moved baselines of their commits, and not tightened ones", () =>
  inTestRepository(async (repository) => {
    const gate = "gates/release.yaml";
    await repository.replace(gate, "<= 0.02", "<= 0.05");
    await repository.replace(
      gate,
      "version: 1\nreason: First version",
      "version: 2\nreason: Three noisy weeks",
    );
    const loosened = await repository.commit("Loosen", "2026-11-05");
    await repository.replace(gate, "<= 0.05", "<= 0.01");
    await repository.commit("Tighten", "2026-11-06");
    await repository.replace(gate, "gate: release", "gate: [");
    await repository.commit("Break it", "2026-11-07");
    equal((await repository.eval("baseline", "accept", "--reason", "x")).code, 2);
    await repository.git("revert", "--no-edit", "HEAD");
    await repository.git("commit", "-q", "--amend", "--no-edit", "--date=2026-11-07T13:00:00Z");
    equal((await repository.eval()).code, 0);
    equal(
      (await repository.eval("baseline", "accept", "--reason", "Release 2.3 went live")).code,
      0,
    );
    await repository.commit("Accept", "2026-11-08");
    await sync(repository);
    deepEqual(
      (await rows(repository)).map((row) => [row[2], row[4], row[6]]),
      [
        ["gate_loosened", "task-success", "Three noisy weeks"],
        ["baseline", "", "Release 2.3 went live"],
      ],
    );
    equal((await rows(repository))[0]?.[3], short(loosened));
  }));

Deno.test("ledger sync tells of scenarios that were removed, demoted or excused for longer", () =>
  inTestRepository(async (repository) => {
    const scenario = "scenarios/home/light-on.yaml";
    const other = "scenarios/home/which-light.yaml";
    await repository.git("mv", other, "scenarios/home/renamed.yaml");
    await repository.replace("scenarios/home/renamed.yaml", "which-light", "renamed");
    const renamed = await repository.commit("Another name", "2026-11-05");
    await repository.replace(scenario, "description: One", "description: A single");
    await repository.replace(scenario, "risk: high", "risk: critical");
    await repository.commit("Graver", "2026-11-06");
    await repository.replace(scenario, "risk: critical", "risk: medium");
    const milder = await repository.commit("Milder", "2026-11-07");
    const known = (until: string) =>
      `lifecycle: known_failing\nknown_failing: {owner: anna, reason: Firmware, until: ${until}}\nrisk:`;
    await repository.replace(scenario, "risk:", known("2026-12-01"));
    const demoted = await repository.commit("Excuse", "2026-11-08");
    await repository.replace(scenario, "2026-12-01", "2026-12-31");
    const longer = await repository.commit("Longer", "2026-11-09");
    await Deno.mkdir(`${repository.folder}/scenarios/office`);
    await repository.git("mv", "scenarios/home/renamed.yaml", "scenarios/office/renamed.yaml");
    await repository.commit("Moved", "2026-11-10");
    await repository.git("switch", "-q", "-c", "side");
    await repository.commit("Apart", "2026-11-11");
    await repository.git("switch", "-q", "main");
    await repository.git("merge", "-q", "--no-ff", "--no-commit", "side");
    await repository.git("rm", "-q", "scenarios/office/renamed.yaml");
    const merged = await repository.commit("Evil merge", "2026-11-12");
    const first = await sync(repository);
    equal(await sync(repository), first);
    deepEqual(
      (await rows(repository)).map((row) => [row[2], row[3], row[5], row[6]]),
      [
        ["gate_loosened", short(renamed), "which-light", "Another name"],
        ["gate_loosened", short(milder), "light-on", "Milder"],
        ["gate_loosened", short(demoted), "light-on", "Firmware"],
        ["gate_loosened", short(longer), "light-on", "Firmware"],
        ["gate_loosened", short(merged), "renamed", "Evil merge"],
      ],
    );
  }));

Deno.test("ledger sync and check do not decide on a shallow clone, and work where nothing was committed", () =>
  inTestRepository(async (repository) => {
    await repository.commit(overrideMessage("Late", "The hub is late"), "2026-11-05");
    await repository.commit("Then", "2026-11-06");
    await repository.git("clone", "-q", "--depth", "1", `file://${repository.folder}`, "shallow");
    const shallow = testRepository(`${repository.folder}/shallow`);
    const { code, err } = await shallow.eval("ledger", "check");
    equal(code, 3);
    match(err, /fetch-depth: 0/);
    await repository.git("switch", "-q", "--orphan", "empty");
    await repository.git("checkout", "main", "--", ".");
    equal((await repository.eval("ledger", "sync")).code, 0);
  }));

Deno.test("gate diff compares files, revisions and whole trees", () =>
  inTestRepository(async (repository) => {
    const gate = "gates/release.yaml";
    await repository.replace(gate, "<= 0.02", "<= 0.05");
    await repository.write("gates/other.yaml", await repository.read(gate));
    const folder = await repository.eval("gate", "diff", "main");
    equal(folder.code, 0);
    match(
      folder.out,
      /^looser {3}gates\/release.yaml rules\/task-success\/require: .*0\.02 → .*0\.05/,
    );
    await repository.replace("scenarios/home/light-on.yaml", "risk: high", "risk: low");
    await repository.git("mv", "scenarios/home/which-light.yaml", "scenarios/home/x.yaml");
    await repository.commit("Loosen", "2026-11-05");
    const trees = await repository.eval("gate", "diff", "main~1", "main", "--json");
    const { direction, changes } = JSON.parse(trees.out);
    equal(direction, "looser");
    deepEqual(
      changes.filter((each: { direction: string }) => each.direction === "looser").map((
        each: { what: string },
      ) => each.what),
      [
        "gates/release.yaml rules/task-success/require",
        "scenarios/home/light-on.yaml risk",
        "scenarios/home/which-light.yaml",
      ],
    );
    const files = await repository.eval("gate", "diff", gate, "gates/other.yaml");
    equal(files.out, "no difference\n");
    match((await repository.eval("gate", "diff", "main~1", gate)).out, /1 looser, 0 tighter/);
    await repository.commit("Other gate", "2026-11-06");
    await Deno.mkdir(`${repository.folder}/scenarios/office`);
    await repository.git("mv", "scenarios/home/x.yaml", "scenarios/office/x.yaml");
    await repository.commit("Moved", "2026-11-07");
    equal((await repository.eval("gate", "diff", "HEAD~1", "HEAD")).out, "no difference\n");
    const wrong = await repository.eval("gate", "diff", "nothing", gate);
    equal(wrong.code, 2);
    match(wrong.err, /"nothing" is neither a gate file nor a revision/);
  }));

Deno.test("gate diff looks at what fixtures prove: recordings, tools, hidden proofs", () =>
  inTestRepository(async (repository) => {
    const scenario = "scenarios/home/light-on.yaml";
    const proof = "proof: [{id: hidden, lay: fixtures/hidden/k1, run: [sh, test.sh]}]";
    await repository.write(
      scenario,
      (await repository.read(scenario)).replace("expected:\n", `expected:\n  ${proof}\n`),
    );
    await repository.write("fixtures/hidden/k1/test.sh", "exit 1\n");
    await repository.write("fixtures/hidden/notes.md", "not laid\n");
    await repository.commit("Proof", "2026-11-05");
    await repository.write("fixtures/hidden/k1/test.sh", "exit 0\n");
    await repository.write("fixtures/hidden/notes.md", "changed\n");
    const recordings = "fixtures/recordings/light-on";
    await repository.git("rm", "-q", `${recordings}/silent.yaml`);
    await repository.replace(`${recordings}/wrong-room.yaml`, "fails:", "# fails:");
    await repository.replace("fixtures/home/tools.yaml", "effect: write", "effect: read");
    await repository.git("rm", "-q", "-r", "scenarios/home/which-light.yaml");
    await repository.git("rm", "-q", "-r", "fixtures/recordings/which-light");
    await repository.git("config", "color.ui", "always");
    await repository.git("config", "grep.lineNumber", "true");
    const { out, code, err } = await repository.eval("gate", "diff", "HEAD", "--json");
    equal(code, 0, err);
    const { changes } = JSON.parse(out);
    deepEqual(
      changes.map((each: { what: string; direction: string }) => `${each.what} ${each.direction}`),
      [
        "scenarios/home/which-light.yaml looser",
        "fixtures/hidden/k1/test.sh looser",
        "fixtures/home/tools.yaml tools/set_light/effect looser",
        `${recordings}/silent.yaml looser`,
        `${recordings}/wrong-room.yaml fails looser`,
      ],
    );
  }));

Deno.test("run is judged by the base branch's gate too, and says first that the gate was loosened", () =>
  inTestRepository(async (repository) => {
    await repository.git("switch", "-q", "-c", "work");
    const gate = "gates/release.yaml";
    await repository.replace(gate, "level: block, override: never", "level: warn, override: never");
    await repository.replace(
      gate,
      "version: 1\nreason: First version",
      "version: 2\nreason: Only this once",
    );
    await repository.replace(gate, "baseline: production\n", "");
    await repository.replace("scenarios/home/light-on.yaml", "lights/study", "lights/st*");
    await repository.replace("collaudo.yaml", "locale: en", "locale: en\nbase: nowhere");
    const { code, out } = await repository.eval("--recording", "wrong-room");
    match(out, /^\nGate loosened: [^]*The gate of main, version 1, is stricter and decided/);
    equal(code, 1, out);
    const [name] = [...Deno.readDirSync(`${repository.folder}/reports/runs`)].map((e) => e.name);
    const report = JSON.parse(await repository.read(`reports/runs/${name}/report.json`));
    equal(report.judgedBy.by, "base");
    ok(report.gateLoosened.length >= 2);
    const markdown = await repository.read(`reports/runs/${name}/report.md`);
    ok(markdown.indexOf("**Gate loosened") < markdown.indexOf("task success"));
    match(await repository.read(`reports/runs/${name}/junit.xml`), /name="judged by" value="base"/);
  }));

Deno.test("run passes what an override of the history covers, until its last day, and no more", () =>
  inTestRepository(async (repository) => {
    const gate = "gates/release.yaml";
    await repository.replace(gate, "override: never, ", "");
    const today = new Date().toISOString().slice(0, 10);
    const message = overrideMessage("Late", "The hub is late").replace(
      "task-success",
      "no-critical",
    );
    await repository.commit(message, today);
    const run = await repository.eval("--recording", "wrong-room");
    equal(run.code, 0, run.out);
    match(
      run.out,
      /BLOCK {2}decision: block \(overridden by [0-9a-f]{12}\)\n {2}Override [0-9a-f]{12} by anna@example.test, until /,
    );
    await repository.replace("collaudo.yaml", "locale: en", "locale: it");
    const other = await repository.eval("--recording", "acts");
    equal(other.code, 1, "another scenario is not covered");
    await repository.git(
      "commit",
      "-q",
      "--amend",
      "-m",
      message.replace("eval-override", "No-override"),
    );
    const bare = await repository.eval("--recording", "wrong-room");
    equal(bare.code, 1);
    await sync(repository);
    await repository.commit(message, "2026-10-01");
    const expired = await repository.eval("--recording", "wrong-room");
    equal(expired.code, 1, "an expired override blocks again");
  }));

Deno.test("ledger list shows what holds today, what ran out and what nobody needs any more", () =>
  inTestRepository(async (repository) => {
    const today = new Date().toISOString().slice(0, 10);
    await repository.commit(overrideMessage("Old", "Last month"), "2026-10-01");
    await repository.commit(overrideMessage("New", "This month"), today);
    await sync(repository);
    equal((await repository.eval()).code, 0);
    const all = await repository.eval("ledger", "list");
    match(
      all.out,
      /override {2}expired until [^]*Last month[^]*override {2}open until .*, no longer needed\n[^]*This month/,
    );
    const open = JSON.parse((await repository.eval("ledger", "list", "--open", "--json")).out);
    deepEqual(open.map((row: { reason: string; stale: boolean }) => [row.reason, row.stale]), [[
      "This month",
      true,
    ]]);
  }));

Deno.test("validate wants a raised version and another reason where a gate lets through something else", () =>
  inTestRepository(async (repository) => {
    const gate = "gates/release.yaml";
    equal((await repository.eval("validate")).code, 0);
    await repository.replace(gate, "A grave harm is never paid for", "Never");
    equal((await repository.eval("validate")).code, 0, "wording alone");
    await repository.replace(gate, "<= 0.02", "<= 0.01");
    const silent = await repository.eval("validate");
    equal(silent.code, 2);
    match(
      silent.err,
      /release.yaml:2:10: The gate differs from HEAD, and its version is 1: expected more than 1 \[gate-version-not-raised\]/,
    );
    match(silent.err, /\[gate-reason-not-changed\]/);
    await repository.git("switch", "-q", "-c", "work");
    await repository.commit("Silent", "2026-11-05");
    match(
      (await repository.eval("validate")).err,
      /The gate differs from main, and its version is 1/,
    );
    await repository.replace(
      gate,
      "version: 1\nreason: First version",
      "version: 2\nreason: Tighter",
    );
    const said = await repository.eval("validate");
    equal(said.code, 0, said.err);
    await repository.replace(
      "scenarios/home/light-on.yaml",
      "risk: high",
      "risk: high\nlifecycle: known_failing\nknown_failing: {owner: bo, reason: Hub, until: 2026-01-31}",
    );
    match(
      (await repository.eval("validate")).err,
      /until 2026-01-31, and today is [^]*\[known-failing-expired\]/,
    );
  }));

Deno.test("ledger, gate diff and run work in a subfolder, in a linked worktree and with SHA-256", () =>
  inTestRepository(async (top) => {
    await Deno.mkdir(`${top.folder}/casa è`);
    for (const name of ["collaudo.yaml", "fixtures", "gates", "scenarios"]) {
      await top.git("mv", name, `casa è/${name}`);
    }
    await top.commit("Into a folder", "2026-11-02");
    await top.git("worktree", "add", "-q", "-b", "work", `${top.folder}/albero di lavoro`);
    const project = testRepository(`${top.folder}/albero di lavoro/casa è`);
    await project.replace("gates/release.yaml", "<= 0.02", "<= 0.05");
    await project.replace(
      "gates/release.yaml",
      "version: 1\nreason: First version",
      "version: 2\nreason: Noise",
    );
    await project.commit(overrideMessage("Late", "The hub is late"), "2026-11-05");
    await sync(project);
    deepEqual((await rows(project)).map((row) => row[2]).toSorted(), ["gate_loosened", "override"]);
    equal(await check(project), 0);
    match(
      (await project.eval("gate", "diff", "main")).out,
      /^looser {3}gates\/release.yaml rules\/task-success/,
    );
    const run = await project.eval();
    equal(run.code, 0, run.err);
    match(run.out, /^\nGate loosened: 1 change\n/);
    equal((await project.eval("validate")).code, 0);
    equal(await top.git("config", "core.bare"), "false");
  }, ["--object-format=sha256"]));

Deno.test("ledger list shows an override that is not written down yet", () =>
  inTestRepository(async (repository) => {
    const today = new Date().toISOString().slice(0, 10);
    await repository.commit(overrideMessage("New", "This month"), today);
    match((await repository.eval("ledger", "list", "--open")).out, /This month/);
    await repository.remove(".git");
    equal((await repository.eval("ledger", "list", "--open")).out, "no open overrides\n");
  }));
