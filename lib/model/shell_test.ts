import assert from "node:assert/strict";
import fc from "fast-check";
import { innerCommand, provenCommand, readShell } from "./shell.ts";

const SIMPLE: Readonly<Record<string, readonly string[]>> = {
  "deno test": ["deno", "test"],
  "  deno   test\t--all \n": ["deno", "test", "--all"],
  "git commit -m 'a; b && c | d > e'": ["git", "commit", "-m", "a; b && c | d > e"],
  'git commit -m "it\'s \\"done\\" \\$5"': ["git", "commit", "-m", 'it\'s "done" $5'],
  "echo a\\;b a\\ b 'x'\"y\"z": ["echo", "a;b", "a b", "xyz"],
  "node --test test/*.js": ["node", "--test", "test/*.js"],
  "echo \\\nnext": ["echo", "next"],
  "grep '^a$' f": ["grep", "^a$", "f"],
  'grep "a$" f': ["grep", "a$", "f"],
  "echo '' a#b 5$": ["echo", "", "a#b", "5$"],
  "CI=1 npm test": ["CI=1", "npm", "test"],
};

const COMPOUND: Readonly<Record<string, RegExp>> = {
  "deno test | tail": /pipeline/,
  "deno test || true": /pipeline or a list/,
  "deno test && echo ok": /list or a background/,
  "cd x && deno test": /list/,
  "deno test; true": /list \(;\)/,
  "deno test &": /background/,
  "deno test > log": /redirection/,
  "deno test 2>&1": /redirection/,
  "deno test < in": /redirection/,
  "(deno test)": /subshell/,
  "deno test\ntrue": /more than one line/,
  "deno test\r\ntrue": /more than one line/,
  "deno test # fast": /comment/,
  "# deno test": /comment/,
  "deno test $(echo --help)": /expansion/,
  "deno test `echo --help`": /substitution/,
  'deno test "`echo`"': /substitution/,
  'deno test "$X"': /expansion/,
  "deno test $X": /expansion/,
  "deno test $'\\n'": /expansion/,
  "deno 'test": /open quote/,
  'deno "test': /open quote/,
  "deno test \\": /unfinished/,
  "! deno test": /word "!"/,
  "{ deno test }": /word "{"/,
  "if deno test": /word "if"/,
  "": /no command/,
  " \n ": /no command/,
};

Deno.test("readShell() knows one program with its words from anything more", () => {
  for (const [text, words] of Object.entries(SIMPLE)) {
    assert.deepEqual(readShell(text), { kind: "simple", words }, text);
  }
  for (const [text, why] of Object.entries(COMPOUND)) {
    const line = readShell(text);
    assert.ok(line.kind === "compound", text);
    assert.match(line.why, why, text);
  }
});

Deno.test("innerCommand() and provenCommand() take shells off", () => {
  assert.equal(innerCommand("/bin/bash -lc 'sleep 2; echo a'"), "sleep 2; echo a");
  assert.equal(innerCommand("bash -lc ls"), "ls");
  assert.equal(innerCommand(["sh", "-c", "ls -l"]), "ls -l");
  assert.equal(innerCommand(["ls", "-l"]), "ls -l");
  assert.equal(innerCommand("bash -lc \"sed -i s/a/b/ 'x'\""), "sed -i s/a/b/ 'x'");
  assert.equal(innerCommand("bash -lc 'echo' a"), "bash -lc 'echo' a");
  assert.equal(innerCommand("bash run.sh x"), "bash run.sh x");
  assert.equal(provenCommand("bash -c 'deno test'"), "deno test");
  assert.equal(provenCommand("sh -c \"bash -c 'deno test'\""), "deno test");
  assert.equal(provenCommand("bash -c 'deno test; true'"), null);
  assert.equal(provenCommand("bash -c 'deno test' || true"), null);
});

Deno.test("readShell() gives quoted words back, and nothing added to a line leaves it proved", () => {
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  const words = fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(words, fc.constantFrom(" | x", "; x", " && x", " || x", " & x", " > x"), (
      list,
      tail,
    ) => {
      const text = ["run", ...list.map(quoted)].join(" ");
      assert.deepEqual(readShell(text), { kind: "simple", words: ["run", ...list] });
      assert.equal(provenCommand(text + tail), null);
    }),
    { seed: 6, numRuns: 300 },
  );
});
