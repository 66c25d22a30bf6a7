import assert from "node:assert/strict";
import fc from "fast-check";
import { parse, validate } from "node-cron";
import { type CronFields, readCron } from "./cron_text.ts";

const ALL = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

function fieldsOf(text: string): CronFields {
  const read = readCron(text);
  if (read.kind === "broken") throw new Error(`${text}: ${read.what}`);
  return read.fields;
}

Deno.test("readCron() gives the values of each field", () => {
  assert.deepEqual(fieldsOf("30 2 * * 5"), {
    seconds: [0],
    minutes: [30],
    hours: [2],
    days: null,
    months: ALL(1, 12),
    weekdays: [5],
    withSeconds: false,
  });
  assert.deepEqual(fieldsOf("5,0 8-18/5 1,15 jan-mar *").hours, [8, 13, 18]);
  assert.deepEqual(fieldsOf("0 0 * * SUN,7,mon-wed").weekdays, [0, 1, 2, 3]);
  assert.deepEqual(fieldsOf("*/20 1 2 3 4 *").seconds, [0, 20, 40]);
  assert.deepEqual(fieldsOf("@weekly").weekdays, [0]);
  assert.deepEqual(fieldsOf(" 30  2 * * thu").weekdays, [4]);
});

/** Text, and the part of it that is wrong. */
const BROKEN: readonly (readonly [string, string])[] = [
  ["60 * * * *", "60"],
  ["0 24 * * *", "24"],
  ["0 0 0 * *", "0"],
  ["0 0 32 * *", "32"],
  ["0 0 * 13 *", "13"],
  ["0 0 * * 8", "8"],
  ["*/0 * * * *", "*/0"],
  ["*/60 * * * *", "*/60"],
  ["5/15 * * * *", "5/15"],
  ["1,,2 * * * *", "1,,2"],
  ["30 2 * * 5-1", "5-1"],
  ["30 2 * * 5L", "5L"],
  ["30 2 L * *", "L"],
  ["30 2 1W * *", "1W"],
  ["30 2 * * 5#2", "5#2"],
  ["30 2 ? * 5", "?"],
  ["30 2 * * friday", "friday"],
  ["-1 2 * * *", "-1"],
  ["030 2 * * *", "030"],
  ["1.5 2 * * *", "1.5"],
  ["30 2 31 2 *", "30 2 31 2 *"],
  ["30 2 31 2,4 *", "30 2 31 2,4 *"],
  ["30 2 1 * 5", "30 2 1 * 5"],
  ["30 2 * *", "30 2 * *"],
  ["0 30 2 * * 5 2026", "0 30 2 * * 5 2026"],
  ["@reboot", "@reboot"],
  ["", ""],
];

Deno.test("readCron() refuses what is no time, or not one time to all programs, at its place", () => {
  for (const [text, part] of BROKEN) {
    const read = readCron(text);
    if (read.kind !== "broken") throw new Error(`"${text}" is taken`);
    assert.equal(text.slice(read.start, read.end), part, text);
    assert.match(read.what, /^".*/);
    assert.notEqual(read.fix, "");
  }
});

const once = (values: readonly (number | string)[]) =>
  [...new Set(values.map(Number))].sort((a, b) => a - b);

const item = (min: number, max: number) => {
  const value = fc.integer({ min, max });
  return fc.oneof(
    value.map(String),
    fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.tuple(value, value, fc.integer({ min: 1, max: 6 }))
      .map(([a, b, step]) => `${Math.min(a, b)}-${Math.max(a, b)}/${step}`),
    fc.integer({ min: 1, max: 6 }).map((step) => `*/${step}`),
  );
};
const field = (min: number, max: number) =>
  fc.oneof(fc.constant("*"), fc.array(item(min, max), { minLength: 1, maxLength: 3 }).map(String));

Deno.test("readCron() understands a text as node-cron does", () => {
  fc.assert(
    fc.property(field(0, 59), field(0, 23), field(1, 28), field(1, 12), (...parts) => {
      const text = `${parts.join(" ")} *`;
      const fields = fieldsOf(text);
      assert.ok(validate(text), text);
      const theirs = parse(text);
      assert.deepEqual(fields.minutes, once(theirs.minute), text);
      assert.deepEqual(fields.hours, once(theirs.hour), text);
      assert.deepEqual(fields.months, once(theirs.month), text);
      assert.deepEqual(fields.days ?? ALL(1, 31), once(theirs.dayOfMonth), text);
    }),
    { seed: 5, numRuns: 300 },
  );
  fc.assert(
    fc.property(item(0, 6), (weekday) => {
      const text = `0 0 * * ${weekday}`;
      assert.deepEqual(fieldsOf(text).weekdays, once(parse(text).dayOfWeek), text);
    }),
    { seed: 5, numRuns: 100 },
  );
});
