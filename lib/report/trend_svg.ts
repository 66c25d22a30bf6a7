/**
 * How did the three headline numbers go over the last runs? Their values by time in, one drawing out
 * that a phone shows legibly: three panels, each with its last value, the baseline as a dashed line,
 * and dates that never overlap. It has a ground of its own, so that light and dark chats show it alike.
 */
import type { Report } from "../model/report.ts";
import { xmlText } from "./escape.ts";
import { createFormat, type Format } from "./format.ts";
import type { View } from "./voice.ts";
import { wordsOf } from "./words.ts";

/** One run's headline. */
export interface TrendPoint {
  readonly time: string;
  readonly headline: Report["headline"];
}

/** The three numbers, in the order of the report. */
const NAMES = ["taskSuccess", "costPerTask", "latencyP95Ms"] as const;
type Name = typeof NAMES[number];

const WIDTH = 720;
const PANEL = 210;
const TOP = 16;
const LEFT = 40;
const RIGHT = WIDTH - 40;
const PLOT_TOP = 74;
const PLOT_BOTTOM = 158;
const DATES_MAX = 5;

const COLOURS = {
  ground: "#fbfbf8",
  ink: "#1d2330",
  quiet: "#5c6473",
  rule: "#d9dbd4",
  taskSuccess: "#1f7a4d",
  costPerTask: "#9a5b00",
  latencyP95Ms: "#2457a6",
} as const;

interface Canvas {
  readonly format: Format;
  readonly points: readonly TrendPoint[];
  readonly label: (name: Name) => string;
  readonly baseline: string;
  readonly absent: string;
}

/** The drawing, 720 wide; null where fewer than two runs are there to be joined. */
export function trendSvg(
  points: readonly TrendPoint[],
  view: View & { readonly currency: string },
): string | null {
  if (points.length < 2) return null;
  const words = wordsOf(view.locale);
  const canvas: Canvas = {
    points,
    format: createFormat(view.locale, view.zone, view.currency),
    label: (name) => words.metrics[name],
    baseline: words.baseline,
    absent: words.notMeasured,
  };
  const shown = NAMES.filter((name) =>
    points.some(({ headline }) => headline[name].value !== null)
  );
  if (shown.length === 0) return null;
  const height = TOP + shown.length * PANEL;
  const panels = shown.map((name, i) =>
    `<g transform="translate(0 ${TOP + i * PANEL})">${panel(name, canvas)}</g>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${WIDTH} ${height}" font-family="DejaVu Sans">` +
    `<rect width="${WIDTH}" height="${height}" fill="${COLOURS.ground}"/>${panels.join("")}</svg>`;
}

function panel(name: Name, canvas: Canvas): string {
  const { points, format, label, absent } = canvas;
  const values = points.map(({ headline }) => headline[name].value);
  const baseline = points.at(-1)?.headline[name].baseline ?? null;
  const known = [...values, baseline].filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const scale = scaleOf(low, high, name === "taskSuccess" ? RATE_SPAN : high * SHARE_SPAN);
  const shown = (value: number | null) => format.metric(name, value) ?? absent;
  const reference = baseline === null
    ? ""
    : text(RIGHT, 58, `${canvas.baseline} ${shown(baseline)}`, {
      size: 18,
      anchor: "end",
      fill: COLOURS.quiet,
    });
  return [
    text(LEFT, 34, label(name), { size: 24, fill: COLOURS.ink }),
    text(RIGHT, 34, shown(values.at(-1) ?? null), { size: 28, anchor: "end", fill: COLOURS[name] }),
    text(LEFT, 58, low === high ? "" : `${shown(low)} – ${shown(high)}`, {
      size: 18,
      fill: COLOURS.quiet,
    }),
    reference,
    ground(),
    baseline === null ? "" : dashed(scale(baseline)),
    ...curves(values, scale, COLOURS[name]),
    ...dates(canvas),
  ].join("");
}

/** The least range shown: smaller moves would look like falls. */
const RATE_SPAN = 0.1;
const SHARE_SPAN = 0.2;

/** Heights by value: the range that occurs, at least `span`, with some room above and below. */
function scaleOf(low: number, high: number, span: number): (value: number) => number {
  const middle = (low + high) / 2;
  const range = Math.max(high - low, span, Number.MIN_VALUE);
  const room = 8;
  return (value) =>
    (PLOT_TOP + PLOT_BOTTOM) / 2 - (value - middle) / range * (PLOT_BOTTOM - PLOT_TOP - 2 * room);
}

function across(i: number, count: number): number {
  const room = 14;
  return LEFT + room + i / (count - 1) * (RIGHT - LEFT - 2 * room);
}

function ground(): string {
  return [PLOT_TOP, PLOT_BOTTOM].map((y) =>
    `<line x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}" stroke="${COLOURS.rule}" stroke-width="2"/>`
  ).join("");
}

function dashed(y: number): string {
  return `<line x1="${LEFT}" x2="${RIGHT}" y1="${place(y)}" y2="${place(y)}" ` +
    `stroke="${COLOURS.quiet}" stroke-width="2" stroke-dasharray="8 8"/>`;
}

/** The line with a dot a run; where a run was not measured, the line is broken. */
function curves(
  values: readonly (number | null)[],
  scale: (value: number) => number,
  colour: string,
): string[] {
  const spots = values.map((value, i) =>
    value === null ? null : `${place(across(i, values.length))},${place(scale(value))}`
  );
  const pieces = spots.map((spot) => spot ?? "|").join(" ").split("|").map((piece) => piece.trim());
  return [
    ...pieces.filter((piece) => piece.includes(" ")).map((piece) =>
      `<polyline points="${piece}" fill="none" stroke="${colour}" stroke-width="5" ` +
      `stroke-linejoin="round" stroke-linecap="round"/>`
    ),
    ...spots.flatMap((spot, i) => {
      if (spot === null) return [];
      const [x, y] = spot.split(",");
      return [
        `<circle cx="${x}" cy="${y}" r="${i === spots.length - 1 ? 9 : 6}" fill="${colour}"/>`,
      ];
    }),
  ];
}

/** At most five dates, the first and the last among them, evenly apart. */
function dates({ points, format }: Canvas): string[] {
  const count = Math.min(points.length, DATES_MAX);
  const chosen = Array.from(
    { length: count },
    (_, i) => Math.round(i / (count - 1) * (points.length - 1)),
  );
  return chosen.map((at, i) => {
    const anchor = i === 0 ? "start" : i === count - 1 ? "end" : "middle";
    const x = i === 0 ? LEFT : i === count - 1 ? RIGHT : across(at, points.length);
    const day = format.shortDay(points[at]?.time ?? "");
    return text(x, PLOT_BOTTOM + 30, day, { size: 20, anchor, fill: COLOURS.quiet });
  });
}

function text(
  x: number,
  y: number,
  content: string,
  { size, fill, anchor = "start" }: {
    readonly size: number;
    readonly fill: string;
    readonly anchor?: "start" | "middle" | "end";
  },
): string {
  return `<text x="${place(x)}" y="${y}" font-size="${size}" fill="${fill}" ` +
    `text-anchor="${anchor}">${xmlText(content)}</text>`;
}

function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}
