/**
 * Do hooks stop what they must, pass what they may, and leave everything else alone? Real commits in
 * real repositories; the folder's name has blanks, a comma and accents throughout.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ended, GitProject, OVERRIDE, withProject } from "./git_project_test.ts";

function blocked(ended: Ended, says: RegExp = /BLOCK, the commit is stopped/): void {
  assert.notEqual(ended.code, 0, `passed: ${ended.err}`);
  assert.match(ended.err, says);
}

function passed(ended: Ended): void {
  assert.equal(ended.code, 0, ended.err + ended.out);
}

Deno.test("hooks judge the tree that is committed, whatever way it is committed", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    passed(await p.eval("hook", "status"));
    const starts = await p.countStarts();

    await p.write("README.md", "one\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("doc"));
    assert.equal(await starts(), 0, "a commit that touches no trigger starts no Deno");

    await p.stage("silent");
    const first = await p.commit("break it");
    blocked(first);
    const lines = first.err.trimEnd().split("\n");
    assert.ok(lines.length <= 15, first.err);
    assert.ok(lines.every((line) => [...line].length <= 80), first.err);
    assert.match(first.err, /light-on: lights\/kitchen\/on should be true and is false/);
    assert.match(first.err, /deno task eval --only light-on/);
    assert.match(first.err, /git commit -e -F \.git\/COMMIT_EDITMSG/);
    assert.doesNotMatch(first.err, /eval-override/i);
    assert.equal(await starts(), 2);

    const home = join(await p.common(), "collaudo");
    const names = (folder: string) =>
      [...Deno.readDirSync(join(home, folder))].map(({ name }) => name).sort();
    const [verdict = ""] = names("verdicts");
    const old = (name: string, day: string) => name.replace(/\d{4}-\d{2}-\d{2}/, day);
    await Deno.writeTextFile(join(home, "verdicts", old(verdict, "2020-01-01")), "{}\n");
    for (const day of ["2020-01-01", "2999-01-01"]) {
      await Deno.mkdir(join(home, "reports", old(verdict, day).replace(".json", "")));
    }
    const second = await p.commit("break it");
    blocked(second);
    assert.doesNotMatch(second.err, /scenarios in/);
    assert.equal(await starts(), 3, "a known verdict needs one start");

    const recovered = await p.git(["commit", "-e", "-F", ".git/COMMIT_EDITMSG"]);
    blocked(recovered);
    for (const reason of ["", "<reason>", "todo"]) {
      blocked(await p.commit(`break it\n\neval-override: ${reason}`), /does not hold/);
    }
    const tree = (await p.git(["write-tree"])).out;
    passed(await p.commit(OVERRIDE));
    assert.equal((await p.git(["rev-parse", "HEAD^{tree}"])).out, tree);
    const [, kept = ""] =
      /^Eval-Blocked: success; light-on; sha256:([0-9a-f]{64})$/m.exec(await p.message()) ?? [];
    const report = join(await p.common(), "collaudo/overridden", kept, "report.json");
    const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(report));
    assert.equal(hex(hash), kept, "the trailer names the report that is kept");
    assert.match(await Deno.readTextFile(report), /"overridden"/);
    await p.stage("silent", "as bad as before");
    blocked(await p.commit("another tree"));
    await p.git(["reset", "-q", "--hard"]);
    assert.ok([...names("verdicts"), ...names("reports")].every((each) => !/2020/.test(each)));
    assert.ok(names("reports").some((each) => /2999/.test(each)), "a report is kept for days");

    blocked(await p.commit("now without a reason", "--amend"));
    passed(await p.git(["commit", "--amend", "--no-edit"]));
    assert.equal((await p.message()).match(/^Eval-Blocked/gm)?.length, 1);
    passed(await p.commit(`${OVERRIDE}\nand more words\n`, "--amend"));

    await p.write("README.md", "two\n");
    await p.git(["add", "README.md"]);
    passed(await p.commit("doc"));
    const rows = await p.ledger();
    assert.equal(rows.length, 1, "the row goes into the next commit");
    assert.match(rows[0] ?? "", /The bedroom is being rewired/);
    assert.ok(rows[0]?.includes((await p.head("HEAD^")).slice(0, 12)));
    const before = await starts();
    await p.write("README.md", "three\n");
    passed(await p.commit("doc", "-a"));
    assert.equal(await starts(), before, "nothing is pending any more");

    await p.conduct("silent", "again");
    await p.write("README.md", "four\n");
    blocked(await p.commit("all", "-a"));
    passed(await p.commit("only the doc", "--", "README.md"));
    blocked(await p.commit("only the recording", "--", "fixtures"));
    await p.stage("pass");
    await p.conduct("silent", "in the folder alone");
    passed(await p.commit("mended in the index"));
    await p.stage("silent", "in the index alone");
    await p.conduct("pass", "in the folder alone");
    blocked(await p.commit("broken in the index"));
    await p.git(["reset", "-q", "--hard"]);

    await p.stage("wrong-room");
    blocked(await p.commit(OVERRIDE), /Nobody can override: no-critical/);
    await p.stage("silent", "past the hook");
    passed(await p.commit("past the hook", "--no-verify"));
    passed(await p.git(["revert", "--no-edit", "HEAD"]));
    assert.equal((await p.git(["status", "--porcelain"])).out, "");
    assert.equal((await p.git(["fsck", "--no-dangling"])).code, 0);
  }));

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

Deno.test("hooks read the message as git keeps it: -v, CRLF, comment signs, unborn and detached HEAD", () =>
  withProject({ unborn: true }, async (p) => {
    passed(await p.eval("hook", "install"));
    await p.stage("silent");
    blocked(await p.commit("first"));
    await p.stage("pass");
    passed(await p.commit("first"));

    await p.stage("silent");
    await p.write("notes.md", "eval-override: this is a document\n");
    await p.git(["add", "-A"]);
    const editor = join(p.folder, "..", "editor");
    await Deno.writeTextFile(
      editor,
      `#!/bin/sh\n{ echo verbose; cat "$1"; } >"$1.n" && mv "$1.n" "$1"\n`,
      {
        mode: 0o755,
      },
    );
    blocked(await p.git(["commit", "-v"], { env: { GIT_EDITOR: `'${editor}'` } }));
    const kept = await Deno.readTextFile(join(p.folder, ".git/COMMIT_EDITMSG"));
    assert.match(kept, /^verbose/);
    assert.doesNotMatch(kept, /this is a document|>8/, "the change does not become the message");

    const file = join(p.folder, "..", "message");
    await Deno.writeTextFile(file, "signs\n\n;eval-override: a comment\n");
    blocked(await p.git(["-c", "core.commentChar=;", "commit", "-F", file]), /./);
    await Deno.writeTextFile(file, OVERRIDE.replaceAll("\n", "\r\n"));
    passed(await p.git(["commit", "-F", file]));
    assert.match(await p.message(), /^Eval-Blocked: success; light-on; sha256:/m);

    await p.stage("silent", "in another encoding");
    const latin = OVERRIDE.replace("bedroom", "caff\u00e8");
    await Deno.writeFile(file, Uint8Array.from(latin, (letter) => letter.charCodeAt(0)));
    const encoded = ["-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-F", file];
    blocked(await p.git(encoded), /The message is not UTF-8/);
    await p.stage("pass", "in another encoding");
    await Deno.writeFile(file, Uint8Array.from("caff\u00e8", (letter) => letter.charCodeAt(0)));
    passed(await p.git(encoded));

    await p.git(["checkout", "-q", "--detach"]);
    await p.stage("silent", "detached");
    blocked(await p.commit("detached"));
    passed(await p.commit(OVERRIDE));
    await p.stage("pass");
    passed(await p.commit("mended"));
    assert.equal((await p.ledger()).length, 2);
  }));

Deno.test("hooks and the ledger through merge, squash, cherry-pick, rebase, reword", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    await p.git(["checkout", "-q", "-b", "feature"]);
    await p.stage("silent");
    passed(await p.commit(OVERRIDE));
    const overridden = await p.head();
    await p.git(["checkout", "-q", "main"]);
    await p.write("README.md", "main\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("main goes on"));

    passed(await p.git(["merge", "--squash", "feature"]));
    blocked(await p.git(["commit", "--no-edit"]));
    passed(await p.commit(OVERRIDE));
    await p.git(["reset", "-q", "--hard", "HEAD^"]);

    const merged = await p.git(["merge", "--no-ff", "--no-edit", "feature"]);
    passed(merged);
    assert.match(merged.err, /BLOCK \(overridden by [0-9a-f]{12}\)/);
    await p.git(["reset", "-q", "--hard", "HEAD^"]);

    await p.git(["checkout", "-q", "-b", "unguarded"]);
    await p.stage("silent", "unguarded");
    passed(await p.commit("unguarded", "--no-verify"));
    await p.git(["checkout", "-q", "main"]);
    blocked(await p.git(["merge", "--no-ff", "--no-edit", "unguarded"]));
    await p.git(["merge", "--abort"]);

    passed(await p.git(["cherry-pick", "-x", overridden]));
    await p.write("README.md", "picked\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("doc"));
    assert.equal((await p.ledger()).length, 1);
    await p.git(["checkout", "-q", "-f", "feature"]);
    await p.git(["reset", "-q", "--hard"]);
    passed(await p.git(["rebase", "main~2"]));
    assert.equal((await p.git(["status", "--porcelain"])).out, "");
    const reword = {
      GIT_SEQUENCE_EDITOR: "sed -i s/^pick/reword/",
      GIT_EDITOR: "sed -i -e '/^eval-/Id'",
    };
    const dropped = await p.git(["rebase", "-i", "HEAD^"], { env: reword });
    blocked(dropped);
    passed(await p.git(["rebase", "--abort"]));
    const kept = { ...reword, GIT_EDITOR: "sed -i -e 1s/^/reworded:/" };
    passed(await p.git(["rebase", "-i", "HEAD^"], { env: kept }));
    assert.match(await p.message(), /^reworded:break it/);
    await p.write("README.md", "after\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("doc"));
    const rows = await p.ledger();
    assert.equal(rows.length, 1, "one override, however often it was rewritten");
    assert.ok(rows[0]?.includes((await p.head("HEAD^")).slice(0, 12)));
    assert.equal((await p.eval("ledger", "check")).code, 0);
  }));

Deno.test("hooks in a linked worktree write nothing into the user's branch or configuration", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    const linked = join(p.folder, "..", "linked è");
    passed(await p.git(["worktree", "add", "-q", "-b", "side", linked]));
    const config = await Deno.readTextFile(join(p.folder, ".git/config"));
    const main = await p.head("main");
    const side = new GitProject(linked);
    await side.stage("silent");
    blocked(await side.commit("break it"), /git commit -e -F '.*\/worktrees\/.*COMMIT_EDITMSG'/);
    passed(await side.commit(OVERRIDE));
    await side.write("README.md", "doc\n");
    await side.git(["add", "-A"]);
    passed(await side.commit("doc"));
    assert.equal((await side.ledger()).length, 1);
    const leak = { GIT_DIR: join(p.folder, ".git"), GIT_INDEX_FILE: join(p.folder, ".git/index") };
    await side.run(Deno.execPath(), [
      "run",
      "-A",
      "--no-check",
      mainProgram(),
      "ci",
      "--base",
      "main",
    ], {
      env: leak,
    });
    assert.equal((await side.git(["rev-list", "--count", "main..side"])).out, "2\n");
    assert.equal(await Deno.readTextFile(join(p.folder, ".git/config")), config);
    assert.equal(await p.head("main"), main);
    assert.equal((await p.git(["status", "--porcelain"])).out, "");
    assert.equal((await side.git(["status", "--porcelain"])).out, "");
    const left = [...Deno.readDirSync(join(p.folder, ".git/collaudo/tmp"))];
    assert.deepEqual(left, [], "nothing laid out is left behind");
  }));

function mainProgram(): string {
  return new URL("../../main.ts", import.meta.url).pathname;
}

Deno.test("hooks whatever the user has set: signatures that are shown, submodules that are not, a zone", () =>
  withProject({}, async (p) => {
    const yaml = await p.read("collaudo.yaml");
    const ahead = new Date().getUTCHours() >= 10;
    const zone = ahead ? "Pacific/Kiritimati" : "Etc/GMT+12";
    const changed = yaml.replace("zone: Europe/Rome", `zone: ${zone}`);
    await p.write("collaudo.yaml", `${changed}triggers: ["part/**"]\n`);
    const from = join(p.folder, "..", "part");
    await p.git(["clone", "-q", p.folder, from]);
    await p.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", from, "part"]);
    await p.git(["config", "-f", ".gitmodules", "submodule.part.ignore", "all"]);
    await p.git(["add", "-A"]);
    passed(await p.commit("begin again"));
    passed(await p.eval("hook", "install"));

    const part = join(p.folder, "part");
    await p.git(["commit", "-q", "--allow-empty", "-m", "another"], { cwd: part });
    await p.git(["update-index", "--cacheinfo", `160000,${await partHead(p, part)},part`]);
    const bumped = await p.commit("another part");
    passed(bumped);
    assert.match(bumped.err, /2 of 2 scenarios/, "a submodule is what its folder would be");

    const signer = join(p.folder, "..", "signer");
    await Deno.writeTextFile(signer, SIGNER, { mode: 0o755 });
    for (
      const [key, value] of [
        ["gpg.program", signer],
        ["user.signingKey", "anna"],
        ["commit.gpgSign", "true"],
        ["log.showSignature", "true"],
      ] as const
    ) await p.git(["config", key, value]);
    await p.stage("silent");
    passed(await p.commit(OVERRIDE));
    assert.match((await p.git(["log", "-1"])).out, /Good signature/);
    blocked(await p.commit("now without a reason", "--amend"));

    await p.stage("silent", "near midnight");
    const day = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10);
    const env = { GIT_AUTHOR_DATE: `${day(-72)}T12:00:00Z` };
    const until = `${OVERRIDE}eval-override-until: ${day(ahead ? 0 : -12)}\n`;
    const last = await p.git(["commit", "-m", until], { env });
    if (ahead) blocked(last, /its end has passed/);
    else passed(last);
  }));

async function partHead(p: GitProject, cwd: string): Promise<string> {
  return (await p.git(["rev-parse", "HEAD"], { cwd })).out.trim();
}

/** Stands for gpg: signs whatever it is given, and finds every signature good. */
const SIGNER = `#!/bin/sh
cat >/dev/null
case "$*" in
  *--verify*) echo 'gpg: Good signature' >&2; echo '[GNUPG:] GOODSIG 1 anna' ;;
  *)
    echo '[GNUPG:] SIG_CREATED D' >&2
    printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' 'x' '-----END PGP SIGNATURE-----'
    ;;
esac
`;

Deno.test("hooks in a SHA-256 repository, a submodule, and for a project below the top", async () => {
  await withProject({ init: ["--object-format=sha256"] }, async (p) => {
    passed(await p.eval("hook", "install"));
    await p.stage("silent");
    blocked(await p.commit("break it"));
    passed(await p.commit(OVERRIDE));
    await p.stage("pass");
    passed(await p.commit("mended"));
    assert.equal((await p.ledger()).length, 1);
  });
  await withProject({ prefix: "lib/eval/" }, async (p) => {
    await Deno.mkdir(join(p.folder, "agent"));
    await Deno.writeTextFile(join(p.folder, "agent/à.ts"), "1\n");
    const yaml = await p.read("collaudo.yaml");
    await p.write("collaudo.yaml", `${yaml}triggers: ["agent/**"]\n`);
    await p.git(["add", "-A"]);
    passed(await p.commit("agent"));
    passed(await p.eval("hook", "install"));
    const starts = await p.countStarts();
    await Deno.writeTextFile(join(p.folder, "scenarios"), "not the project's\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("elsewhere"));
    assert.equal(await starts(), 0);
    await Deno.writeTextFile(join(p.folder, "agent/à.ts"), "2\n");
    await p.git(["add", "-A"]);
    const agent = await p.git(["commit", "-m", "agent"], { cwd: join(p.folder, "agent") });
    passed(agent);
    assert.match(agent.err, /2 of 2 scenarios/, "a trigger outside the map concerns all");
    await p.stage("silent");
    blocked(
      await p.git(["commit", "-m", "x"], { cwd: join(p.folder, "agent") }),
      /1 of 2 scenarios/,
    );
    const above = join(p.folder, "..", "above");
    await Deno.mkdir(above);
    await p.git(["init", "-q", "-b", "main"], { cwd: above });
    await p.git(["reset", "-q", "--hard"]);
    const add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", p.folder, "part"];
    passed(await p.git(add, { cwd: above }));
    const part = new GitProject(join(above, "part"), "lib/eval/");
    passed(await part.eval("hook", "install"));
    await part.stage("silent");
    blocked(await part.commit("break it"));
    passed(await part.commit(OVERRIDE));
    passed(await p.git(["commit", "-am", "part"], { cwd: above }));
  });
});

Deno.test("hook install works beside other hooks and overwrites none", () =>
  withProject({}, async (p) => {
    const hooks = join(p.folder, ".git/hooks");
    const own = '#!/usr/bin/env bash\necho "own hook $1" >&2\nexit 0\n';
    const lefthook =
      '#!/bin/sh\n# lefthook\ncall_lefthook() { :; }\ncall_lefthook run "commit-msg" "$@"\n';
    const script = async (path: string, text: string, mode = 0o755) => {
      await Deno.mkdir(join(path, ".."), { recursive: true });
      await Deno.writeTextFile(path, text, { mode });
    };
    await script(`${hooks}/pre-commit`, own);
    await script(`${hooks}/commit-msg`, lefthook);
    await script(`${hooks}/post-commit`, "#!/usr/bin/python3\nprint(1)\n");
    const installed = await p.eval("hook", "install");
    assert.equal(installed.code, 2, "a hook in another language is left for a person");
    assert.match(
      installed.out,
      /✗ post-commit .*\n[^]*lefthook\.yml[^]*Add this line to \.git\/hooks\/post-commit/,
    );
    assert.match(await Deno.readTextFile(`${hooks}/post-commit`), /^#!\/usr\/bin\/python3\nprint/);
    await p.stage("silent");
    const ended = await p.commit("break it");
    blocked(ended);
    assert.match(ended.err, /own hook/);
    passed(await p.eval("hook", "uninstall"));
    assert.equal(await Deno.readTextFile(`${hooks}/pre-commit`), own);
    assert.equal(await Deno.readTextFile(`${hooks}/commit-msg`), lefthook);
    assert.equal((await p.eval("hook", "status")).code, 2);
    await Deno.remove(`${hooks}/post-commit`);
    await Deno.remove(`${hooks}/pre-commit`);

    await p.git(["config", "core.hooksPath", "githooks"]);
    const absent = await p.eval("hook", "install");
    assert.equal(absent.code, 2);
    assert.match(
      absent.out,
      /core\.hooksPath names "githooks", which is not here: git runs no hook/,
    );
    const line = /^ {2}(if \[ -x .* commit-msg .*)$/m.exec(absent.out)?.[1] ?? "";
    await script(`${p.folder}/githooks/commit-msg`, `#!/bin/sh\n${line}\n`);
    blocked(await p.commit("break it"));
    assert.match((await p.eval("hook", "status")).out, /✓ commit-msg/);

    await p.git(["config", "core.hooksPath", ".husky/_"]);
    const husky =
      `#!/usr/bin/env sh\n[ "$HUSKY" = 0 ] && exit 0\nsh -e "$(dirname "$(dirname "$0")")/$(basename "$0")" "$@"\n`;
    await script(`${p.folder}/.husky/_/h`, husky, 0o644);
    await script(`${p.folder}/.husky/_/commit-msg`, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n');
    const beside = await p.eval("hook", "install");
    assert.match(beside.out, /Add this line to \.husky\/commit-msg/);
    assert.equal(await Deno.readTextFile(`${p.folder}/.husky/_/h`), husky);
    await script(`${p.folder}/.husky/commit-msg`, `${line}\n`, 0o644);
    assert.match(
      (await p.eval("hook", "status")).out,
      /✓ commit-msg {2}active {2}\.husky\/commit-msg/,
    );
    blocked(await p.commit("break it"));
    passed(await p.git(["commit", "-m", "husky says no"], { env: { HUSKY: "0" } }));
  }));

Deno.test("hooks without a runtime, with bad files, stale recordings, a short budget, new triggers", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    const away = join(p.folder, "..", "bin");
    await Deno.mkdir(away);
    for (const tool of ["git", "sh", "sed", "grep", "mkdir"]) {
      const found = (await p.run("sh", ["-c", `command -v ${tool}`])).out.trim();
      await Deno.symlink(found, join(away, tool));
    }
    await p.changeShim(/^deno=.*$/m, "deno='/nowhere/deno'");
    await p.stage("silent");
    const missing = await p.git(["commit", "-m", "x"], { env: { PATH: away } });
    passed(missing);
    assert.match(missing.err, /Deno is not there, nothing was judged/);
    await p.changeShim(/^missing=.*$/m, "missing=block");
    await p.stage("silent", "again");
    blocked(
      await p.git(["commit", "-m", "x"], { env: { PATH: away } }),
      /the commit is stopped: install it/,
    );
    passed(await p.eval("hook", "install"));
    await p.stage("pass");
    passed(await p.commit("mended"));

    const scenario = await p.read("scenarios/home/light-on.yaml");
    await p.write("scenarios/home/light-on.yaml", scenario.replace("risk:", "rsik:"));
    await p.git(["add", "-A"]);
    const bad = await p.commit(OVERRIDE);
    blocked(bad, /the files can not be used/);
    assert.match(bad.err, /Unknown key "rsik"[^]*never overridden/);
    await p.write("scenarios/home/light-on.yaml", scenario);

    await p.write(
      "fixtures/recordings/light-on/pass.yaml",
      'origin: handmade\nturns:\n  - user: Good night\n  - say: ""\n',
    );
    await p.git(["add", "-A"]);
    const lost = await p.commit("a recording that no longer fits");
    blocked(lost, /BLOCK: 1 scenario lost its recording/);
    passed(await p.commit("past the hook", "--no-verify"));
    const tools = await p.read("fixtures/home/tools.yaml");
    await p.write("fixtures/home/tools.yaml", tools.replace("Switches", "Turns"));
    await p.git(["add", "-A"]);
    const stale = await p.commit("stale");
    passed(stale);
    assert.match(
      stale.err,
      /NOT ENOUGH EVIDENCE\n[^]*Outdated recordings, so this is no pass: light-on/,
    );
    const yaml = await p.read("collaudo.yaml");
    await p.write("collaudo.yaml", `${yaml}hook: {on_stale: block}\ntriggers: ["agent/**"]\n`);
    await p.git(["add", "-A"]);
    blocked(await p.commit("stale blocks"), /BLOCK: 1 run is stale/);
    passed(await p.commit("past the hook", "--no-verify"));
    await p.write("collaudo.yaml", `${yaml}hook: {budget_s: 0.000001}\ntriggers: ["agent/**"]\n`);
    await p.git(["add", "-A"]);
    blocked(await p.commit("nobody chooses how he is judged"), /1 run is stale/);
    passed(await p.commit("past the hook", "--no-verify"));
    await p.stage("pass");
    const short = await p.commit("short");
    passed(short);
    assert.match(
      short.err,
      /0 of 2 scenarios .* NOT ENOUGH EVIDENCE\n[^]*Over .* s, left out: light-on/,
    );
    const starts = await p.countStarts();
    await p.write("agent/a.ts", "1\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("agent"));
    assert.ok(
      await starts() > 0,
      "the shim knows the triggers of the collaudo.yaml that was committed",
    );
  }));

Deno.test("hooks and ci stop a commit that takes a recording away; an override that says why holds in both", () =>
  withProject({}, async (p) => {
    await p.git(["branch", "base"]);
    passed(await p.eval("hook", "install"));
    await p.git(["rm", "-q", "fixtures/recordings/light-on/pass.yaml"]);
    blocked(await p.commit("tidy"), /lost its recording/);
    passed(await p.commit("tidy", "--no-verify"));
    const found = await p.eval("ci", "--base", "base");
    assert.equal(found.code, 1, found.out);
    assert.match(found.out, /recording_lost/);
    await p.git(["reset", "-q", "--soft", "HEAD^"]);
    passed(await p.commit("tidy\n\neval-override: Recorded anew next week"));
    assert.match(await p.message(), /^Eval-Blocked: recording_lost; light-on; sha256:/m);
    await p.write("README.md", "doc\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("doc"));
    const held = await p.eval("ci", "--base", "base");
    assert.equal(held.code, 0, held.out);
    assert.match(held.out, /block \(overridden by [0-9a-f]{12}\)/);
  }));

Deno.test("hooks and ci let no baseline move in the commit that regresses; alone it moves and is a row", () =>
  withProject({}, async (p) => {
    const rule = `  - {id: drop, level: block, require: "$drop('taskSuccess') <= 0"}\n`;
    const gate = (await p.read("gates/release.yaml")).replace(/ {2}- \{id: success.*\n/, rule)
      .replace("version: 1\n", "version: 1\nbaseline: production\n");
    passed(await p.eval());
    const idle = await p.eval("baseline", "accept", "--reason", "First release");
    assert.match(idle.out, /the gate names no baseline.*add "baseline: production" to the gate/);
    await p.write("gates/release.yaml", gate);
    const first = await p.eval("baseline", "accept", "--reason", "First release");
    passed(first);
    assert.doesNotMatch(first.out, /names no baseline/);
    await p.git(["add", "-A"]);
    passed(await p.commit("gate and baseline"));
    await p.git(["branch", "base"]);
    passed(await p.eval("hook", "install"));

    await p.conduct("silent");
    assert.equal((await p.eval()).code, 1);
    const refused = await p.eval("baseline", "accept");
    assert.equal(refused.code, 2);
    assert.match(refused.err, /no reference by itself: its decision is BLOCK/);
    const accepted = await p.eval("baseline", "accept", "--reason", "It is how it is");
    passed(accepted);
    assert.match(accepted.out, /fail from now on without a word: light-on/);
    await p.git(["add", "-A"]);
    blocked(await p.commit("both"), /baseline moves in this commit too/);
    passed(await p.commit("both", "--no-verify"));
    const found = await p.eval("ci", "--base", "base");
    assert.equal(found.code, 1, found.out);

    await p.git(["reset", "-q", "--soft", "HEAD^"]);
    await p.git(["reset", "-q", "--", "reports/baselines"]);
    passed(await p.commit("regress\n\neval-override: The lamp is broken until Monday"));
    await p.git(["add", "-A"]);
    passed(await p.commit("baseline alone"));
    const fine = await p.eval("ci", "--base", "base");
    assert.equal(fine.code, 0, fine.out);
    passed(await p.eval("ledger", "sync"));
    assert.match(await p.read("regressions.md"), /\| baseline \|.*\| It is how it is \|/);
  }));

Deno.test("hooks stop a project that goes: moved, half removed, removed without a word", () =>
  withProject({ prefix: "a b/" }, async (p) => {
    await p.git(["branch", "base"]);
    await Deno.writeTextFile(join(p.folder, "other.md"), "kept\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("other"));
    passed(await p.eval("hook", "install"));
    await p.git(["rm", "-q", "a b/collaudo.yaml"]);
    const half = await p.commit(OVERRIDE);
    blocked(half, /without a b\/collaudo\.yaml nothing is judged/);
    await p.git(["reset", "-q", "--hard"]);

    await p.git(["rm", "-q", "-r", "a b"]);
    blocked(await p.commit("gone"), /a b\/collaudo\.yaml is gone: no commit would be judged/);
    await p.changeShim(/^program=.*$/m, "program='/nowhere/main.ts'");
    blocked(await p.commit("gone"), /a b\/collaudo\.yaml goes, .* the message must say why/);
    passed(await p.git(["reset", "-q", "--hard"]));
    passed(await p.eval("hook", "install"));
    await p.git(["rm", "-q", "-r", "a b"]);
    passed(await p.commit("gone\n\neval-override: Another team takes over"));
    assert.match(await p.message(), /^Eval-Blocked: project_removed; ; sha256:/m);
    const after = await p.git(["commit", "--allow-empty", "-m", "later"]);
    passed(after);
    assert.match(after.err, /there is no a b\/collaudo\.yaml here, nothing was judged/);
    await p.git(["reset", "-q", "--hard", "HEAD~2"]);

    await p.stage("silent");
    passed(await p.commit("broken, then moved", "--no-verify"));
    await p.git(["mv", "a b", "c"]);
    blocked(await p.commit(OVERRIDE), /the project moves to c\/collaudo\.yaml: run hook install/);
    const moved = new GitProject(p.folder, "c/");
    const taken = await moved.eval("hook", "install");
    passed(taken);
    assert.match(taken.out, /Before, the project "a b\/" judged; it is not there any more/);
    blocked(await p.commit("moved"), /light-on/);
    await moved.stage("pass");
    passed(await p.commit("moved, and mended"));
    const found = await moved.eval("ci", "--base", "base");
    assert.equal(found.code, 1, found.out);
    assert.match(found.out, /broken, then moved/);
    assert.match(found.out, /PASS {2}this branch may not be merged/);
    await Deno.remove(moved.path("collaudo.yaml"));
    passed(await moved.eval("hook", "uninstall"));
  }));

Deno.test("hooks ask the gate of the branch that was the base before the commit", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    const gate = await p.read("gates/release.yaml");
    await p.write(
      "gates/release.yaml",
      gate.replace("taskSuccess = 1", "taskSuccess >= 0.2").replace("version: 1", "version: 2")
        .replace("First version", "Milder"),
    );
    await p.write("collaudo.yaml", `${await p.read("collaudo.yaml")}base: nowhere\n`);
    await p.stage("silent");
    blocked(await p.commit("a milder judge"), /BLOCK: Rule success/);
  }));

/** A model that does the scenario's deed, or only says that it did. */
function serveHouse(): {
  readonly url: string;
  does: boolean;
  asked: number;
  close(): Promise<void>;
} {
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const heard = { does: true, asked: 0 };
  const server = Deno.serve(options, async (request) => {
    heard.asked++;
    const { messages } = await request.json() as { messages: readonly { role: string }[] };
    const answers = messages.filter(({ role }) => role === "tool").length;
    const calls = heard.does
      ? [["list_lights", "{}"], ["set_light", '{"light":"kitchen","on":true}']] as const
      : [];
    const next = calls[answers];
    const message = next === undefined ? { role: "assistant", content: "It is on." } : {
      role: "assistant",
      content: null,
      tool_calls: [{
        id: `call_${answers}`,
        type: "function",
        function: { name: next[0], arguments: next[1] },
      }],
    };
    const finish_reason = next === undefined ? "stop" : "tool_calls";
    const usage = { prompt_tokens: 10, completion_tokens: 10 };
    return Response.json({
      model: "tiny-1",
      choices: [{ index: 0, finish_reason, message }],
      usage,
    });
  });
  const url = `http://127.0.0.1:${server.addr.port}/v1`;
  return Object.assign(heard, { url, close: () => server.shutdown() });
}

Deno.test("hooks ask the live model where on_stale says so, and believe what it does", () =>
  withProject({}, async (p) => {
    const house = serveHouse();
    try {
      const yaml = await p.read("collaudo.yaml");
      await p.write("collaudo.yaml", `${yaml}hook: {on_stale: live}\n`);
      await p.write(
        "fixtures/recordings/light-on/pass.yaml",
        'origin: handmade\nturns:\n  - user: Good night\n  - say: ""\n',
      );
      await p.git(["add", "-A"]);
      passed(await p.commit("outdated"));
      passed(await p.eval("hook", "install"));
      const env = { LLM_BASE_URL: house.url, LLM_API_KEY: "a-key-of-nobody-4711" };
      const tools = await p.read("fixtures/home/tools.yaml");
      const commit = async (words: string) => {
        await p.write("fixtures/home/tools.yaml", tools.replace("Switches", words));
        await p.git(["add", "-A"]);
        return await p.git(["commit", "-m", words], { env });
      };
      passed(await commit("Turns"));
      assert.ok(house.asked >= 3, "the model was asked");
      house.does = false;
      blocked(await commit("Puts"), /light-on: lights\/kitchen\/on should be true and is false/);
      await house.close();
      const away = await commit("Sets");
      assert.doesNotMatch(away.err, /: PASS/, "a model that is not there is no pass");
    } finally {
      await house.close();
    }
  }));

Deno.test("hooks say in 15 lines at most what broke, however much did", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    const text = await p.read("scenarios/home/light-on.yaml");
    await p.conduct("wrong-room");
    const broken = await p.read("fixtures/recordings/light-on/pass.yaml");
    for (const id of ["a-very-long-name-of-a-scenario-that-fills-the-line", "b", "c", "d", "e"]) {
      await p.write(`scenarios/home/${id}.yaml`, text.replace("light-on", id));
      await p.write(
        `fixtures/recordings/${id}/pass.yaml`,
        id === "e" ? broken.replace("turns:", "turns:\n  - user: Good night") : broken,
      );
    }
    await p.git(["add", "-A"]);
    const ended = await p.commit("all\n\neval-override: fix\neval-override-until: 2020-01-01");
    blocked(ended, /Nobody can override: no-critical\n {2}The override in the message does not/);
    const lines = ended.err.trimEnd().split("\n");
    assert.ok(lines.length <= 15, ended.err);
    const wide = lines.filter((line) => [...line].length > 80);
    assert.ok(wide.every((line) => /^ {2}See it: /.test(line)), ended.err);
    assert.match(ended.err, /See it: .*\n[^]*Outdated recordings, so this is no pass: e/);
  }));

Deno.test("hooks let a new scenario in that does not block yet, though a rule has nothing to judge in it", () =>
  withProject({}, async (p) => {
    passed(await p.eval("hook", "install"));
    const text = await p.read("scenarios/home/light-on.yaml");
    await p.write(
      "scenarios/home/new-one.yaml",
      text.replace("id: light-on", "id: new-one\nlifecycle: incubating"),
    );
    for (const name of ["pass", "silent", "wrong-room"]) {
      await p.write(
        `fixtures/recordings/new-one/${name}.yaml`,
        await p.read(`fixtures/recordings/light-on/${name}.yaml`),
      );
    }
    await p.git(["add", "-A"]);
    const first = await p.commit("a new scenario");
    passed(first);
    assert.match(first.err, /3 of 3 scenarios in .*: PASS/);
    await p.write(
      "scenarios/home/light-on.yaml",
      text.replace("risk: high", "risk: high\nlifecycle: incubating"),
    );
    await p.stage("silent");
    const demoted = await p.commit("demoted: the rest of the suite decides");
    passed(demoted);
    assert.match(demoted.err, /PASS\nGate loosened in 1 place: gate diff main\n/);
    await p.write("README.md", "doc\n");
    await p.git(["add", "-A"]);
    passed(await p.commit("doc"));
    assert.match((await p.ledger()).join(), /gate_loosened .* light-on .* demoted: the rest/);
  }));
