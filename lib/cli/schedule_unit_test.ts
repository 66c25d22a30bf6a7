import assert from "node:assert/strict";
import fc from "fast-check";
import { readCron } from "../load/cron_text.ts";
import {
  calendar,
  isOwnUnit,
  type Timed,
  timerText,
  unitText,
  withBlock,
  withoutBlock,
} from "./schedule_unit.ts";

const TIMED: Timed = {
  slug: "collaudo-home-1a2b3c4d",
  root: "/home/anna/50% off $HOME's",
  environment: "/home/anna/.config/collaudo/collaudo-home-1a2b3c4d.env",
  variables: { COLLAUDO_PROGRAM: "npx collaudo" },
  argv: ["/opt/deno 2/deno", "run", "--allow-write=.", '/a"b\\c.ts', "schedule", "--once"],
};

Deno.test("calendar() writes the times of a cron text as systemd reads them", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["30 2 * * 5", "Fri *-*-* 02:30:00"],
    ["0,30 7-9 * * mon-fri", "Mon,Tue,Wed,Thu,Fri *-*-* 07,08,09:00,30:00"],
    ["* * * * *", "*-*-* *:*:00"],
    ["0 0 * * 0-7", "*-*-* 00:00:00"],
    ["15 4 1,15 */6 *", "*-01,07-01,15 04:15:00"],
    ["*/30 0 3 * * *", "*-*-* 03:00:00,30"],
    ["@weekly", "Sun *-*-* 00:00:00"],
  ];
  for (const [text, expected] of rows) {
    const read = readCron(text);
    if (read.kind !== "cron") throw new Error(text);
    assert.equal(calendar(read.fields), expected, text);
  }
});

Deno.test("unitText() and timerText() quote what systemd would replace, and carry their mark", () => {
  const unit = unitText(TIMED);
  assert.ok(isOwnUnit(unit));
  assert.match(unit, /^WorkingDirectory=\/home\/anna\/50%% off \$HOME's$/m);
  assert.match(unit, /^Environment="COLLAUDO_PROGRAM=npx collaudo"$/m);
  assert.match(
    unit,
    /^ExecStart="\/opt\/deno 2\/deno" "run" .* "\/a\\"b\\\\c\.ts" "schedule" "--once"$/m,
  );
  const read = readCron("30 2 * * 5");
  if (read.kind !== "cron") throw new Error(read.what);
  const jobs = [read.fields, read.fields];
  const timer = timerText(TIMED, { jobs, zone: "Europe/Rome" });
  assert.ok(isOwnUnit(timer));
  assert.equal(timer.match(/OnCalendar/g)?.length, 1, "one time, however many jobs");
  assert.ok(!isOwnUnit("[Unit]\n"));
  const daily = readCron("30 2 * * *");
  if (daily.kind !== "cron") throw new Error(daily.what);
  assert.deepEqual(
    timerText(TIMED, { jobs: [daily.fields], zone: "Europe/Rome" }).match(/OnCalendar=.*/g),
    ["OnCalendar=*-*-* 02:30:00 Europe/Rome", "OnCalendar=*-*-* 03:30:00 Europe/Rome"],
    "a time that comes twice is due at its second coming",
  );
});

Deno.test("withBlock() and withoutBlock() leave every other line of a crontab as it was", () => {
  const line = fc.constantFrom(
    "0 5 * * * a",
    "MAILTO=b",
    "",
    "# c",
    "# >>> other >>> d",
    "# <<< other <<<",
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const before = lines.length === 0 ? "" : `${lines.join("\n")}\n`;
      const after = withBlock(before, TIMED) ?? "";
      assert.ok(after.startsWith(before));
      assert.equal(withBlock(after, TIMED), after);
      assert.equal(withoutBlock(after, TIMED.slug), before);
      assert.equal(withoutBlock(after, "collaudo-other-00000000"), after);
    }),
    { seed: 5, numRuns: 200 },
  );
  const block = withBlock("", TIMED) ?? "";
  assert.match(block, /^\*\/15 \* \* \* \* cd '\/home\/anna\/50\\% off \$HOME'\\''s' && /m);
  assert.doesNotMatch(block, /[^\\]%/);
  assert.equal(withBlock(block.replace(/# <<<.*\n/, ""), TIMED), null);
});
