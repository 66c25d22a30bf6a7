/** Does checkArguments() accept what a schema means and refuse the rest in words an agent can use? */
import assert from "node:assert/strict";
import fc from "fast-check";
import { checkArguments, schemaProblems } from "./arguments.ts";
import type { Json, JsonObject } from "./json.ts";

const order: JsonObject = {
  type: "object",
  required: ["order", "amount"],
  properties: {
    order: { type: "string", pattern: "^O-[0-9]+$" },
    amount: { type: "number", exclusiveMinimum: 0, maximum: 100 },
    kind: { enum: ["full", "partial"] },
    at: { type: "string", format: "date" },
    note: { type: ["string", "null"], maxLength: 5 },
    lines: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
    },
    free: { type: "object" },
  },
};

const rows: readonly [string, JsonObject, Json, readonly string[]][] = [
  ["accepts what fits", order, {
    order: "O-1",
    amount: 1.5,
    kind: "full",
    at: "2026-10-01",
    note: null,
    lines: [{ id: 1 }],
    free: { any: [1] },
  }, []],
  ["names a missing argument", order, { order: "O-1" }, [
    'Argument "amount" is missing: expected a number',
  ]],
  ["refuses unknown arguments", { type: "object", properties: { a: {} } }, { b: 1 }, [
    'Unknown argument "b": expected "a"',
  ]],
  ["refuses any argument where none is named", { type: "object" }, { b: 1 }, [
    'Unknown argument "b": expected no arguments',
  ]],
  ["refuses them where the type is absent too", {}, { b: 1 }, [
    'Unknown argument "b": expected no arguments',
  ]],
  ["lets unknown ones pass where the schema says so", { additionalProperties: true }, { b: 1 }, []],
  ["checks additional ones by their schema", { additionalProperties: { type: "string" } }, {
    b: 1,
  }, ['Argument "b": expected a text, got 1']],
  ["does not convert types", order, { order: "O-1", amount: "12" }, [
    'Argument "amount": expected a number, got "12"',
  ]],
  ["checks patterns and ranges", order, { order: "x", amount: 0 }, [
    'Argument "order": expected a text like "^O-[0-9]+$", got "x"',
    'Argument "amount": expected more than 0, got 0',
  ]],
  ["checks choices and formats", order, { order: "O-1", amount: 1, kind: "no", at: "1/2" }, [
    'Argument "kind": expected one of "full", "partial", got "no"',
    'Argument "at": expected a day such as 2026-10-01, got "1/2"',
  ]],
  ["checks lists and nested objects", order, {
    order: "O-1",
    amount: 1,
    lines: [{ id: 1.5, x: 1 }, {}],
  }, [
    'Argument "lines[0].id": expected a whole number, got 1.5',
    'Unknown argument "lines[0].x": expected "id"',
    'Argument "lines[1].id" is missing: expected a whole number',
  ]],
  ["checks repeated and missing items", { properties: { a: { uniqueItems: true, minItems: 3 } } }, {
    a: [1, 1],
  }, ['Argument "a": expected at least 3 items, got 2', 'Argument "a": 1 stands there twice']],
  ["compares const by value", { properties: { c: { const: { k: 1 } } } }, { c: { k: 1.0 } }, []],
  ["requires names that are not described", { required: ["zz"] }, {}, [
    'Argument "zz" is missing',
  ]],
  ["takes one of anyOf", { properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } }, {
    a: 3,
  }, ['Argument "a": expected a text, got 3']],
  [
    "wants exactly one of oneOf",
    {
      properties: { a: {}, b: {} },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    { a: 1, b: 1 },
    ["Arguments: fits 2 alternatives, expected exactly one"],
  ],
  [
    "joins the names of allOf",
    {
      allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: {} } }],
    },
    { a: "x", b: 1, c: 1 },
    ['Unknown argument "c": expected one of "a", "b"'],
  ],
  [
    "follows references",
    {
      properties: { a: { $ref: "#/$defs/q" } },
      $defs: { q: { type: "string", minLength: 2 } },
    },
    { a: "z" },
    ['Argument "a": expected at least 2 characters, got 1'],
  ],
  ["refuses a dead reference", { properties: { a: { $ref: "#/$defs/q" } } }, { a: "z" }, [
    'Argument "a": its schema "#/$defs/q" does not exist',
  ]],
  ["accepts decimal multiples", { properties: { a: { multipleOf: 0.01 } } }, { a: 12.34 }, []],
  ["refuses what `not` names", { properties: { a: { not: { const: 1 } } } }, { a: 1 }, [
    'Argument "a": 1 is not allowed',
  ]],
  ["refuses what is no object", order, [1], ["Arguments: expected an object, got [1]"]],
  ["refuses a broken pattern", { properties: { a: { pattern: "(" } } }, { a: "(" }, [
    'Argument "a": its pattern "(" is broken',
  ]],
  ["counts inherited names as absent", { required: ["constructor"] }, {}, [
    'Argument "constructor" is missing',
  ]],
];

for (const [name, schema, args, expected] of rows) {
  Deno.test(`checkArguments() ${name}`, () => {
    assert.deepEqual(checkArguments(schema, args), expected);
  });
}

Deno.test("checkArguments() survives a schema that refers to itself", () => {
  const tree: JsonObject = { properties: { a: { $ref: "#" } } };
  assert.deepEqual(checkArguments(tree, { a: { a: {} } }), []);
  assert.ok(checkArguments({ $ref: "#" }, { a: 1 }).length > 0);
});

Deno.test("checkArguments() never throws, whatever schema and arguments are", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (schema, args) => {
      checkArguments(schema as JsonObject, args as Json);
      schemaProblems(schema as JsonObject);
    }),
    { seed: 7, numRuns: 500 },
  );
});

Deno.test("schemaProblems() names what cannot be checked", () => {
  assert.deepEqual(schemaProblems(order), []);
  assert.deepEqual(
    schemaProblems({ type: "strnig", if: {}, properties: { a: { patern: "x", pattern: "(" } } }),
    [
      'input/type: unknown type "strnig", expected one of string, number, integer, boolean, object, array, null',
      'input/if: the keyword "if" is not understood',
      'input/properties/a/patern: the keyword "patern" is not understood',
      'input/properties/a/pattern: the pattern "(" cannot be compiled',
    ],
  );
});
