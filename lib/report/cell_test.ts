import assert from "node:assert/strict";
import fc from "fast-check";
import { cleanText } from "../model/clean.ts";
import { markdownCell, telegramHtml } from "./cell.ts";

interface Vector {
  readonly id: string;
  readonly input: { readonly text: string };
  readonly expected: {
    readonly clean: string;
    readonly valid_reason: boolean;
    readonly mdCell: string;
    readonly telegramHtml: string;
  };
}

const vectors: Vector[] = JSON.parse(
  Deno.readTextFileSync(new URL("../../testdata/vectors/escape.json", import.meta.url)),
);

for (const { id, input: { text }, expected } of vectors) {
  Deno.test(`cleanText(), markdownCell() and telegramHtml() write ${id}`, () => {
    assert.deepEqual({
      clean: cleanText(text),
      valid_reason: cleanText(text) !== "",
      mdCell: markdownCell(text),
      telegramHtml: telegramHtml(text),
    }, expected);
  });
}

Deno.test("cleanText() is idempotent, and a cell is one line without a bare bar", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const clean = cleanText(text);
      assert.equal(cleanText(clean), clean);
      const cell = markdownCell(text);
      assert.ok(
        !/[\n\r]/.test(cell) && !/(?<!\\)(?:\\\\)*\|/.test(cell.replace(/\\\|/g, "")),
        cell,
      );
    }),
    { seed: 4, numRuns: 500 },
  );
});
