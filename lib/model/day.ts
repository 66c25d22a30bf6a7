/** What day is it so many days later, or somewhere? Calendar days as `2026-10-01`; no clock. */

const DAY_MS = 86_400_000;

/** True for a day that the calendar has, in the form `2026-10-01`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** The calendar day of a time in a zone. Temporal, as the first date that Intl writes takes 80 ms. */
export function dayIn(zone: string, time: string): string {
  return Temporal.Instant.from(time).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** The day `days` after a calendar day. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
