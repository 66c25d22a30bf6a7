import assert from "node:assert/strict";
import { join } from "node:path";
import plugin from "./lint_layers.ts";

const ROOT = join(import.meta.dirname ?? ".", "..");
const EXAMPLES = join(ROOT, "testdata/layers");

/** Each example's first line says which file it stands for. */
function problemsOf(text: string): string {
  const place = text.slice(3, text.indexOf("\n"));
  const found = Deno.lint.runPlugin(plugin, join(ROOT, place), text);
  return found
    .sort((a, b) => a.range[0] - b.range[0])
    .map(({ id, message, range: [start] }) => {
      const before = text.slice(0, start).split("\n");
      return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}: ${message} [${id}]\n`;
    })
    .join("");
}

Deno.test("lint_layers finds what stands in the wrong place, and nothing else", async (t) => {
  const names = [...Deno.readDirSync(EXAMPLES)].map(({ name }) => name)
    .filter((name) => name.endsWith(".ts")).sort();
  assert.ok(names.length >= 8);
  for (const name of names) {
    await t.step(name, () => {
      const actual = problemsOf(Deno.readTextFileSync(join(EXAMPLES, name)));
      const golden = join(EXAMPLES, name.replace(/\.ts$/, ".out"));
      if (Deno.env.get("UPDATE_GOLDEN") === "1") Deno.writeTextFileSync(golden, actual);
      assert.equal(actual, Deno.readTextFileSync(golden));
    });
  }
});
