/** Does `ci` find every block that nobody let pass? Real repositories, and the whole program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { type Conduct, type GitProject, OVERRIDE, withProject } from "./git_project_test.ts";

interface Judged {
  readonly exitCode: number;
  readonly untouched: number;
  readonly decision: { readonly verdict: string; readonly overridden?: unknown } | null;
  readonly commits: readonly {
    readonly sha: string;
    readonly subject: string;
    readonly state: string;
    readonly unguarded: boolean;
  }[];
}

async function ci(p: GitProject, base: string): Promise<Judged & { readonly code: number }> {
  const { code, out, err } = await p.eval("ci", "--base", base, "--json");
  assert.ok(out.startsWith("{"), err);
  return { ...JSON.parse(out), code };
}

function states({ commits }: Judged): Record<string, string> {
  return Object.fromEntries(commits.map(({ subject, state }) => [subject, state]));
}

Deno.test("ci names every commit that was blocked, and by what right it is there", () =>
  withProject({}, async (p) => {
    await p.git(["branch", "base"]);
    passed(await p.eval("hook", "install"));
    await p.stage("silent");
    passed(await p.commit(OVERRIDE));
    const overridden = await p.head();
    await p.write("README.md", "doc\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("doc"));
    const fine = await ci(p, "base");
    assert.equal(fine.code, 0);
    assert.deepEqual(states(fine), { "break it": "overridden" });
    assert.equal(fine.untouched, 1);
    assert.equal(fine.decision?.verdict, "block");

    await p.stage("silent", "past the hook");
    passed(await p.commit("past | the @hook", "--no-verify"));
    await p.stage("wrong-room");
    passed(await p.commit("harm\n\neval-override: It is only a test lamp", "--no-verify"));
    const scenario = await p.read("scenarios/home/light-on.yaml");
    await p.write("scenarios/home/light-on.yaml", scenario.replace("risk:", "rsik:"));
    await p.git(["add", "-A"]);
    passed(await p.commit("bad files", "--no-verify"));
    await p.write("scenarios/home/light-on.yaml", scenario);
    await p.stage("pass");
    passed(await p.commit("mended", "--no-verify"));
    const found = await ci(p, "base");
    assert.equal(found.code, 1);
    assert.deepEqual(states(found), {
      "break it": "overridden",
      "past | the @hook": "blocked",
      harm: "exceeded",
      "bad files": "unusable",
      mended: "open",
    });
    assert.deepEqual(found.commits.filter((each) => each.unguarded).map((each) => each.subject), [
      "past | the @hook",
      "harm",
      "bad files",
    ]);
    assert.equal(found.decision?.verdict, "pass");

    const github = await p.run(Deno.execPath(), [
      "run",
      "-A",
      "--no-check",
      join(import.meta.dirname ?? "", "../../main.ts"),
      "ci",
      "--base",
      "base",
    ], { env: { GITHUB_ACTIONS: "true" } });
    assert.match(github.out, /^::error title=commit [0-9a-f]{12}::.*--no-verify/m);
    const comment = await p.read("reports/ci/comment.md");
    assert.match(comment, /### Collaudo: pass, this branch may not be merged/);
    assert.ok(!comment.includes("@hook") && comment.includes("past \\| the"), comment);
    assert.ok(
      comment.indexOf("What changed") < comment.indexOf("**Commits**"),
      "the delta stands before the commits",
    );
    const issues = JSON.parse(await p.read("reports/ci/code-quality.json"));
    assert.equal(issues.length, 3);
    assert.equal(new Set(issues.map((each: { fingerprint: string }) => each.fingerprint)).size, 3);
    assert.match(await p.read("reports/ci/commits.xml"), /tests="5" failures="3"/);
    assert.match(await p.read("reports/ci/junit.xml"), /<testsuites name="collaudo/);

    await p.git(["checkout", "-q", "-b", "picked", "base"]);
    passed(await p.git(["cherry-pick", "-x", overridden]));
    assert.deepEqual(states(await ci(p, "base")), { "break it": "inherited" });
    await p.git(["reset", "-q", "--hard", "base"]);
    const later = { GIT_COMMITTER_DATE: "2099-01-01T10:00:00+01:00" };
    passed(await p.git(["cherry-pick", overridden], { env: later }));
    assert.deepEqual(states(await ci(p, "base")), { "break it": "inherited" }, "without -x too");
    await p.git(["checkout", "-q", "-b", "merging", "base"]);
    await p.git(["commit", "-q", "--allow-empty", "-m", "apart"]);
    passed(await p.git(["merge", "-q", "--no-ff", "--no-verify", "-m", "merge it", "picked"]));
    const merge = await ci(p, "base");
    assert.equal(merge.code, 0);
    assert.deepEqual(states(merge), { "break it": "inherited", "merge it": "standing" });
  }));

function passed(ended: { readonly code: number; readonly err: string }): void {
  assert.equal(ended.code, 0, ended.err);
}

Deno.test("ci lets nothing pass by the override of a commit that nothing stopped", () =>
  withProject({}, async (p) => {
    await p.git(["branch", "base"]);
    await p.git(["switch", "-qc", "side"]);
    const trailer = `Eval-Blocked: success; light-on, which-light; sha256:${"a".repeat(64)}`;
    const licence = `nothing\n\neval-override: A licence for everything\n\n${trailer}\n`;
    passed(await p.commit(licence, "--allow-empty"));
    await p.git(["switch", "-q", "main"]);
    passed(await p.commit("other", "--allow-empty"));
    await p.git(["merge", "-q", "--no-ff", "--no-commit", "side"]);
    await p.stage("silent");
    passed(await p.commit("evil merge"));
    const found = await ci(p, "base");
    assert.equal(found.code, 1);
    assert.deepEqual(states(found), { "evil merge": "blocked" });
    assert.equal(found.decision?.overridden, undefined);
  }));

Deno.test("hook and ci never call a pass what they cannot play, and say what it is", () =>
  withProject({}, async (p) => {
    const scenario = "scenarios/home/light-on.yaml";
    const proof = "proof: [{id: hidden, run: [sh, test.sh]}]";
    const text = await p.read(scenario);
    await p.write(scenario, text.replace("expected:\n", `expected:\n  ${proof}\n`));
    await p.git(["add", "-A"]);
    await p.commit("a proof");
    await p.git(["checkout", "-q", "-b", "topic"]);
    assert.equal((await p.eval("hook", "install")).code, 0);
    await p.stage("silent");
    const made = await p.commit("break it where nobody looks");
    assert.equal(made.code, 0, made.err);
    assert.match(made.err, /NOT ENOUGH EVIDENCE/);
    assert.match(made.err, /They start programs, so not judged here: light-on/);
    assert.doesNotMatch(made.err, /Over \d+ s/);
    const { code, out } = await p.eval("ci", "--base", "main");
    assert.equal(code, 0, out);
    assert.match(out, /break it where nobody looks: nothing stops it, but not all .* \(light-on\)/);
    assert.match(out, /They start programs, so not judged here: light-on/);
    assert.match(out, /NOT ENOUGH EVIDENCE {2}nothing stops this branch, but not all of it/);
    assert.match(out, /0 of 1 judged commits keep the gate/);
    const comment = await p.read("reports/ci/comment.md");
    assert.match(comment, /^### .*not_enough_evidence, nothing stops this branch, but not all/);
    assert.match(comment, /nothing stops it, but not all that it touches.*`light-on`/);
  }));

Deno.test("ci wants a raised version of a gate that changed, as validate does", () =>
  withProject({}, async (p) => {
    await p.git(["branch", "before"]);
    const gate = await p.read("gates/release.yaml");
    await p.write("gates/release.yaml", gate.replace("taskSuccess = 1", "taskSuccess >= 0.2"));
    passed(await p.git(["commit", "-qam", "in silence"]));
    const silent = await p.eval("ci", "--base", "before");
    assert.equal(silent.code, 2);
    assert.match(silent.out, /The gate differs from before, and its version is 1/);
    const raised = gate.replace("version: 1", "version: 2").replace("First version", "Milder");
    await p.write("gates/release.yaml", raised.replace("taskSuccess = 1", "taskSuccess >= 0.2"));
    passed(await p.git(["commit", "-qam", "said"]));
    const told = await p.run(Deno.execPath(), [
      ...["run", "-A", "--no-check", join(import.meta.dirname ?? "", "../../main.ts")],
      ...["ci", "--base", "before"],
    ], { env: { GITHUB_ACTIONS: "true" } });
    assert.equal(told.code, 0, told.out + told.err);
    assert.match(told.out, /^::warning title=gate loosened::gates\/release\.yaml rules\/success/);
    assert.match(told.out, /\nGate loosened in 1 place: gate diff before\n/);
  }));

Deno.test("ci is judged by the gate of its base, whatever branch the candidate names", () =>
  withProject({}, async (p) => {
    await p.git(["branch", "before"]);
    const gate = await p.read("gates/release.yaml");
    await p.write(
      "gates/release.yaml",
      gate.replace("taskSuccess = 1", "taskSuccess >= 0.2").replace("version: 1", "version: 2")
        .replace("First version", "Milder"),
    );
    await p.write("collaudo.yaml", `${await p.read("collaudo.yaml")}base: nowhere\n`);
    await p.stage("silent");
    passed(await p.commit("milder, and broken"));
    const loosened = await ci(p, "before");
    assert.equal(loosened.code, 1);
    assert.deepEqual(states(loosened), { "milder, and broken": "blocked" });
    assert.match(await p.read("reports/ci/comment.md"), /^### .*\n\n\*\*Gate loosened: 2 changes/);

    await p.write("collaudo.yaml", (await p.read("collaudo.yaml")).replace("base: nowhere\n", ""));
    passed(await p.git(["commit", "-qam", "main itself, as after a push"]));
    assert.equal((await ci(p, await p.head("before"))).code, 1);
    assert.match(await p.read("reports/ci/comment.md"), /Gate loosened: 1 change/);
  }));

Deno.test("ci blocks again where an override ran out and its scenario still fails", () =>
  withProject({}, async (p) => {
    await p.git(["branch", "base"]);
    passed(await p.eval("hook", "install"));
    await p.stage("silent");
    const old = { GIT_AUTHOR_DATE: "2020-01-01T10:00:00+01:00" };
    const late = await p.git(["commit", "-m", OVERRIDE], { env: old });
    assert.notEqual(late.code, 0);
    assert.match(late.err, /its end has passed/);
    const ahead = { GIT_AUTHOR_DATE: "2099-01-01T10:00:00+01:00" };
    const far = await p.git(["commit", "-m", OVERRIDE], { env: ahead });
    assert.notEqual(far.code, 0);
    assert.match(far.err, /more than 90 days away/);
    passed(await p.git(["commit", "-nm", OVERRIDE], { env: ahead }));
    assert.deepEqual(states(await ci(p, "base")), { "break it": "blocked" });
    await p.git(["reset", "-q", "--soft", "HEAD^"]);
    passed(await p.git(["commit", "-nm", OVERRIDE], { env: old }));
    const failing = await ci(p, "base");
    assert.equal(failing.code, 1);
    assert.deepEqual(states(failing), { "break it": "expired" });
    await p.stage("pass");
    passed(await p.commit("mended"));
    const mended = await ci(p, "base");
    assert.equal(mended.code, 0);
    assert.equal(mended.decision?.verdict, "pass");
  }));

Deno.test("ci cannot decide in a clone without the base, and says what to fetch", () =>
  withProject({}, async (p) => {
    await p.git(["checkout", "-q", "-b", "topic"]);
    for (const name of ["one", "two"]) {
      await p.write("README.md", name);
      await p.git(["add", "-A"]);
      await p.commit(name);
    }
    const from = `file://${p.folder}`;
    for (const [depth, code] of [["1", 3], ["2", 3], ["9", 0]] as const) {
      const clone = join(p.folder, "..", `clone ${depth}`);
      await p.git([
        "clone",
        "-q",
        "--no-single-branch",
        "--depth",
        depth,
        "-b",
        "topic",
        from,
        clone,
      ]);
      const ended = await p.run(Deno.execPath(), [
        "run",
        "-A",
        "--no-check",
        join(import.meta.dirname ?? "", "../../main.ts"),
        "ci",
        "--base",
        depth === "1" ? "absent" : "main",
      ], { cwd: clone });
      assert.equal(ended.code, code, ended.err);
      if (code === 3) assert.match(ended.err, /fetched in part[^]*fetch-depth: 0/);
    }
    const unknown = await p.eval("ci", "--base", "nowhere");
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /No commit is called "nowhere" here/);
  }));

const step = fc.record({
  how: fc.constantFrom<Conduct | "doc">("pass", "silent", "doc"),
  override: fc.boolean(),
});

Deno.test("no block without an override reaches the base unseen by ci", () =>
  withProject({}, async (p) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 5 }), async (steps) => {
        await p.git(["checkout", "-q", "-B", "topic", "main"]);
        const wanted: string[] = [];
        let now: Conduct = "pass";
        for (const [index, { how, override }] of steps.entries()) {
          const name = `step ${index} ${how}`;
          if (how === "doc") {
            await p.write("README.md", name);
            await p.git(["add", "-A"]);
          } else {
            await p.stage(how, String(index));
            now = how;
            if (how === "silent" && !override) wanted.push(name);
          }
          const message = override ? `${name}\n\neval-override: A good cause` : name;
          assert.equal((await p.commit(message, "--no-verify")).code, 0);
        }
        const found = await ci(p, "main");
        const blocked = found.commits.filter(({ state }) => state === "blocked");
        assert.deepEqual(blocked.map(({ subject }) => subject), wanted);
        if (wanted.length > 0) assert.equal(found.code, 1);
        else if (now === "pass") assert.equal(found.code, 0);
      }),
      { seed: 4, numRuns: 4 },
    );
  }));
