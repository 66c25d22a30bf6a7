/**
 * What does a cron text say? Five fields (minute, hour, day of month, month, weekday), or six with
 * the second first, or a nickname such as `@weekly`; out come the values of each. Strict: what cron
 * programs understand differently (both days given, `L`, `W`, `#`, `?`, ranges that run backwards)
 * is refused, with the place in the text.
 */

/** Values of each field, ascending; a day field is null where it is `*`. Weekdays: 0 is Sunday. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[] | null;
  readonly months: readonly number[];
  readonly weekdays: readonly number[] | null;
  /** Six fields were written. */
  readonly withSeconds: boolean;
}

/** What a cron text says, or what is wrong with it and where, in UTF-16 units. */
export type CronText =
  | { readonly kind: "cron"; readonly fields: CronFields }
  | {
    readonly kind: "broken";
    readonly start: number;
    readonly end: number;
    readonly what: string;
    readonly fix: string;
  };

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words: readonly string[];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");

const SECOND: Field = { name: "second", min: 0, max: 59, words: [] };
const FIELDS: readonly Field[] = [
  { name: "minute", min: 0, max: 59, words: [] },
  { name: "hour", min: 0, max: 23, words: [] },
  { name: "day of the month", min: 1, max: 31, words: [] },
  { name: "month", min: 1, max: 12, words: ["", ...MONTHS] },
  { name: "weekday", min: 0, max: 7, words: WEEKDAYS },
];

const NICKNAMES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EXAMPLE = 'write five fields such as "30 2 * * 5": Fridays at 02:30';

/** Reads a cron text. */
export function readCron(text: string): CronText {
  const plain = NICKNAMES[text.trim().toLowerCase()] ?? text;
  const parts = [...plain.matchAll(/\S+/g)];
  if (parts.length !== 5 && parts.length !== 6) {
    const what = `"${text}" has ${parts.length} fields: expected 5, or 6 with the second first`;
    return { kind: "broken", start: 0, end: text.length, what, fix: EXAMPLE };
  }
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  const values: (readonly number[])[] = [];
  for (const [index, field] of fields.entries()) {
    const part = parts[index];
    const read = valuesOf(part?.[0] ?? "", field);
    if (Array.isArray(read)) values.push(read);
    else return broken(text, part?.index ?? 0, { part: part?.[0] ?? "", ...read });
  }
  return fieldsOf(text, values, parts.map((part) => part[0]).slice(-3));
}

function broken(
  text: string,
  start: number,
  { part, what, fix }: { readonly part: string; readonly what: string; readonly fix: string },
): CronText {
  const end = Math.min(start + part.length, text.length);
  return { kind: "broken", start, end, what, fix };
}

function fieldsOf(
  text: string,
  values: readonly (readonly number[])[],
  [dayText, , weekdayText]: readonly string[],
): CronText {
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = values.slice(-5);
  const whole = { start: 0, end: text.length };
  const anyDay = dayText === "*";
  const anyWeekday = weekdayText === "*";
  if (!anyDay && !anyWeekday) {
    const what = `"${text}" names days of the month and weekdays: some programs run on either, ` +
      `some where both fit`;
    return { kind: "broken", ...whole, what, fix: "write `*` for one of the two" };
  }
  if (!anyDay && !months.some((month) => days.some((day) => day <= longest(month)))) {
    const what = `"${text}" never comes: its months have no day ${days.join(" or ")}`;
    return { kind: "broken", ...whole, what, fix: "choose a day that the month has" };
  }
  const fields = {
    seconds: values.length === 6 ? values[0] ?? [] : [0],
    minutes,
    hours,
    days: anyDay ? null : days,
    months,
    weekdays: anyWeekday ? null : sorted(weekdays.map((day) => day % 7)),
    withSeconds: values.length === 6,
  };
  return { kind: "cron", fields };
}

function longest(month: number): number {
  return LONGEST_MONTHS[month - 1] ?? 31;
}

function valuesOf(
  text: string,
  field: Field,
): number[] | { readonly what: string; readonly fix: string } {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const found = itemOf(item, field);
    if (found === null) return wrong(text, item, field);
    values.push(...found);
  }
  return sorted(values);
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** `*`, `3`, `1-5`, `mon-fri`, and with a step a star with `/15` or `8-18/2`. */
function itemOf(item: string, field: Field): number[] | null {
  const form = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item);
  if (form === null) return null;
  const [, any, first, second, stepText] = form;
  const from = any === undefined ? valueOf(first ?? "", field) : field.min;
  const to = any !== undefined
    ? (field.name === "weekday" ? 6 : field.max)
    : second === undefined
    ? from
    : valueOf(second, field);
  if (from === null || to === null || from > to) return null;
  if (stepText !== undefined && any === undefined && second === undefined) return null;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1 || step > field.max) return null;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step);
}

function valueOf(word: string, field: Field): number | null {
  if (/^\d{1,2}$/.test(word)) {
    const value = Number(word);
    return value >= field.min && value <= field.max ? value : null;
  }
  const at = field.words.indexOf(word.toLowerCase());
  return word !== "" && at >= 0 ? at : null;
}

function wrong(text: string, item: string, field: Field): { what: string; fix: string } {
  const words = field.words.filter((word) => word !== "");
  const named = words.length === 0 ? "" : ` or ${words.at(0)} to ${words.at(-1)}`;
  const shown = text === item ? `"${text}"` : `"${item}" in "${text}"`;
  return {
    what: `${shown} is no ${field.name}: expected ${field.min} to ${field.max}${named}`,
    fix: `write numbers, lists (1,2), ranges (1-5) or steps (*/2), or * for every ${field.name}`,
  };
}
