import assert from "node:assert/strict";
import { globRegex } from "../load/selection.ts";
import { casePattern, quoted } from "./hook_shim.ts";

async function fits(pattern: string, file: string): Promise<boolean> {
  const script = `case $1 in ${pattern}) exit 0 ;; esac; exit 1`;
  const { code } = await new Deno.Command("sh", { args: ["-c", script, "sh", file] }).output();
  return code === 0;
}

Deno.test("casePattern() fits in sh at least what the glob fits, and quotes the rest", async () => {
  const globs = [
    "agent/**",
    "**/prompt.md",
    "a/**/b.ts",
    "x?.ts",
    "it's [here]/*",
    "$(touch x)/**",
  ];
  const names = [
    "agent/a.ts",
    "agent/deep/è b.ts",
    "agents/a.ts",
    "prompt.md",
    "a/prompt.md",
    "a/b.ts",
    "a/c/d/b.ts",
    "xy.ts",
    "x.ts",
    "it's [here]/f",
    "it's h/f",
    "$(touch x)/f",
  ];
  for (const glob of globs) {
    const pattern = casePattern(glob);
    for (const name of names) {
      const found = await fits(pattern, name);
      if (globRegex(glob).test(name)) assert.ok(found, `${pattern} fits ${name}`);
    }
    assert.ok(!await fits(pattern, "elsewhere/y.ts"), pattern);
  }
  assert.equal(quoted("it's"), "'it'\\''s'");
});
