/**
 * How are numbers, money, times and counts written for people? By `Intl`, in the locale and the time
 * zone of the configuration. A number that was not measured is null here and never a 0.
 */
import type { MetricName } from "../model/metrics.ts";
import type { Locale } from "./words.ts";

/** Writers of one locale, zone and currency. */
export interface Format {
  number(value: number): string;
  /** With at most one decimal. */
  tenths(value: number): string;
  percent(rate: number): string;
  money(amount: number): string;
  duration(ms: number): string;
  /** Date and time of an ISO 8601 time, in the zone. */
  moment(iso: string): string;
  /** A day such as `2026-10-01`. */
  day(iso: string): string;
  /** `2026-12-01 02:53` in the zone: the first date that Intl writes takes 80 ms, these digits none. */
  stamp(iso: string): string;
  /** Day and month of an ISO 8601 time, in the zone. */
  shortDay(iso: string): string;
  /** Weekday, day, month and time of an ISO 8601 time, in the zone. */
  shortMoment(iso: string): string;
  /** `1 run`, `2 runs`: the number with the word that fits it. */
  count(n: number, one: string, other: string): string;
  /** A metric in its own unit; null where it was not measured. */
  metric(name: MetricName, value: number | null): string | null;
}

const RATES: ReadonlySet<MetricName> = new Set([
  "taskSuccess",
  "stepScore",
  "humanIntervention",
  "correctRefusals",
]);

/** English as it is written in Europe: day before month, 24 hours. */
const TAGS: Readonly<Record<Locale, string>> = { en: "en-GB", it: "it-IT" };

/** Below it an amount is written by its first digits: rounded it would read as nothing. */
const SMALL_AMOUNT = 0.01;

const formats = new Map<string, Format>();

/** Writers for a locale, an IANA time zone and an ISO 4217 currency; remembered. */
export function createFormat(locale: Locale, zone: string, currency: string): Format {
  const key = `${locale} ${zone} ${currency}`;
  const format = formats.get(key) ?? makeFormat(TAGS[locale], zone, currency);
  formats.set(key, format);
  return format;
}

function makeFormat(tag: string, zone: string, currency: string): Format {
  const number = once(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 2 }));
  const percent = once(() =>
    new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 })
  );
  const seconds = once(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }));
  const money = once(() =>
    new Intl.NumberFormat(tag, {
      style: "currency",
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: 4,
    })
  );
  const small = once(() =>
    new Intl.NumberFormat(tag, { style: "currency", currency, maximumSignificantDigits: 2 })
  );
  const moment = once(() =>
    new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short", timeZone: zone })
  );
  const day = once(() => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" }));
  const shortDay = once(() =>
    new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", timeZone: zone })
  );
  const shortMoment = once(() =>
    new Intl.DateTimeFormat(tag, {
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      timeZone: zone,
    })
  );
  const plural = once(() => new Intl.PluralRules(tag));
  const written: Omit<Format, "metric"> = {
    number: (value) => isShort(value) ? `${value}` : number().format(value),
    tenths: (value) => seconds().format(value),
    percent: (rate) => isShort(rate * 100) ? `${rate * 100}%` : percent().format(rate),
    money: (amount) => (amount > 0 && amount < SMALL_AMOUNT ? small : money)().format(amount),
    duration: (ms) => `${seconds().format(ms / 1000)}\u00a0s`,
    stamp: (iso) => stampOf(iso, zone),
    moment: (iso) => formatTime(moment, iso),
    day: (iso) => formatTime(day, iso),
    shortDay: (iso) => formatTime(shortDay, iso),
    shortMoment: (iso) => formatTime(shortMoment, iso),
    count: (n, one, other) => `${written.number(n)} ${plural().select(n) === "one" ? one : other}`,
  };
  return { ...written, metric: (name, value) => formatMetric(written, name, value) };
}

/** True for whole numbers that look the same in every language, so that Intl, slow to start, need not be asked. */
function isShort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 1000 && !Object.is(value, -0);
}

/** Made when it is first needed: the first of each kind takes milliseconds to make. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}

function stampOf(iso: string, zone: string): string {
  if (Number.isNaN(Date.parse(iso))) return iso;
  const time = Temporal.Instant.from(iso).toZonedDateTimeISO(zone).toPlainDateTime();
  return time.toString({ smallestUnit: "minute" }).replace("T", " ");
}

/** A time that does not parse is shown as it stands. */
function formatTime(format: () => Intl.DateTimeFormat, iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : format().format(time);
}

function formatMetric(
  written: Omit<Format, "metric">,
  name: MetricName,
  value: number | null,
): string | null {
  if (value === null) return null;
  if (RATES.has(name)) return written.percent(value);
  if (name === "costPerTask") return written.money(value);
  return name === "latencyP95Ms" ? written.duration(value) : written.number(value);
}
