// The figures of a bucket: which measures it has, which figures a measure has, and what a reader must know
// of them.
import { estimateText, none, numberText } from "./number";
import type { Rollup } from "./api";

/** eventCount is chosen in place of a measure. No measure has an empty name. */
export const eventCount = "";

/**
 * A figure of a measure, as a chart and a table name it. An estimate comes from a sketch, within one
 * per cent.
 */
export interface Figure<Name extends string = string> {
  name: Name;
  title: string;
  estimate?: true;
  counts?: true; // of values, not a value itself
  rate?: true; // of a second
}

const named = <Name extends string>(all: Figure<Name>[]) => all;

/** All figures of a measure that the pages show. */
export const figures = named([
  { name: "count", title: "values", counts: true },
  { name: "invalid", title: "invalid", counts: true },
  { name: "min", title: "min" },
  { name: "avg", title: "mean" },
  { name: "max", title: "max" },
  { name: "sum", title: "sum" },
  { name: "stddev", title: "deviation" },
  { name: "first", title: "first" },
  { name: "last", title: "last" },
  { name: "increase", title: "increase" },
  { name: "resets", title: "resets", counts: true },
  { name: "rate", title: "per second", rate: true },
  { name: "timeMean", title: "mean over time" },
  { name: "p50", title: "p50", estimate: true },
  { name: "p95", title: "p95", estimate: true },
  { name: "p99", title: "p99", estimate: true },
]);

/** Figures of a measure, as the API returns them: null if there is no valid value. */
export type Figures = Partial<Record<(typeof figures)[number]["name"], number | null>>;

/**
 * The lines of a chart: a figure, its color, the choice by which the reader turns it on and off, and whether that
 * is on at first.
 */
export interface Curve {
  name: keyof Figures;
  stroke: string;
  choice: string;
  usual?: true;
}
export const curves: Curve[] = [
  { name: "min", stroke: "--edge", choice: "min to max", usual: true },
  { name: "max", stroke: "--edge", choice: "min to max", usual: true },
  { name: "avg", stroke: "--line", choice: "mean", usual: true },
  { name: "p50", stroke: "--p50", choice: "p50" },
  { name: "p95", stroke: "--p95", choice: "p95" },
  { name: "p99", stroke: "--p99", choice: "p99" },
];

/** figureText formats a figure; decimals are as decimalsFor returns them. */
export const figureText = (f: Figure, x: number | null | undefined, decimals: number) =>
  f.estimate ? estimateText(x) : numberText(x, f.counts ? 0 : decimals);

/** figureUnit returns the unit of a figure of a measure; "" if it has none. */
export const figureUnit = (f: { counts?: boolean; rate?: boolean }, unit = "") =>
  f.counts || !unit ? "" : f.rate ? unit + "/s" : unit;

/** withUnit returns a number with its unit behind it. What is not known has none. */
export const withUnit = (text: string, unit = "") => (unit && text !== none ? `${text} ${unit}` : text);

/** headText returns the name of what a column or an axis has, with its unit: temperature (°C). */
export const headText = (name: string, unit = "") => (unit ? `${name} (${unit})` : name);

/**
 * measuresIn returns the measures of rollups: the declared ones that have values, then those that only
 * the data has, then the declared ones without values. The last choice is the number of events.
 */
export function measuresIn(rollups: Rollup[], declared: string[]): string[] {
  const found = new Set<string>();
  for (const r of rollups)
    for (const [name, f] of Object.entries(r.measures)) if (hasValues(f)) found.add(name);
  const filled = declared.filter((m) => found.has(m));
  const own = [...found].filter((m) => !declared.includes(m)).sort();
  return [...filled, ...own, ...declared.filter((m) => !found.has(m)), eventCount];
}

// Values that are no numbers are data too: they are counted as invalid.
const hasValues = (f: Figures) => (f.count ?? 0) > 0 || (f.invalid ?? 0) > 0;

export const measureTitle = (measure: string) => (measure === eventCount ? "number of events" : measure);

/** A figure that a plot draws as its main line. */
export type Main = "events" | "avg" | "increase" | "rate";

/**
 * mainOf returns what a plot of a measure draws: of a counter its increase, because the mean of its readings
 * says nothing. Buckets of several tiers have different lengths, so there it is the increase a second.
 */
export function mainOf(rollups: Rollup[], measure: string): Main {
  if (measure === eventCount) return "events";
  const counts = rollups.filter((r) => r.measures[measure]?.increase !== undefined);
  if (!counts.length) return "avg";
  return counts.some((r) => r.tier !== counts[0].tier) ? "rate" : "increase";
}

/** mainTitle names the line of a measure. */
export const mainTitle = (measure: string, main: Main) =>
  measureTitle(measure) + (main === "increase" ? ", increase" : main === "rate" ? ", increase per second" : "");

/** mainUnit returns the unit of the line of a measure. A number of events has none. */
export const mainUnit = (main: Main, unit = "") =>
  figureUnit({ counts: main === "events", rate: main === "rate" }, unit);

/** mainFigure is what a line of a series draws. */
export const mainFigure = (r: Rollup, measure: string, main: Main) =>
  main === "events" ? r.events : (r.measures[measure]?.[main] ?? null);

/**
 * withoutValues says that no bucket has a valid value of a measure, and how many are invalid; undefined if one
 * has. Of a row that was too large it is not known.
 */
export function withoutValues(rollups: Rollup[], measure: string): string | undefined {
  const filled = rollups.filter((r) => r.events > 0);
  const known = ({ truncated, measures }: Rollup) => !truncated && !measures[measure]?.count;
  if (measure === eventCount || !filled.length || !filled.every(known)) return undefined;
  const invalid = filled.reduce((n, r) => n + (r.measures[measure]?.invalid ?? 0), 0);
  const counted = invalid === 1 ? "1 value is invalid" : `${numberText(invalid)} values are invalid`;
  return `No event of this range has a valid ${measure}` + (invalid ? `: ${counted}.` : ".");
}

/** state returns in words how far a bucket can be trusted. */
export function state(r: Rollup): string {
  const words = [r.open ? "open" : r.exact ? "exact" : "inexact"];
  if (r.truncated) words.push("cut");
  if (r.unreadable) words.push(`${numberText(r.unreadable)} unreadable`);
  return words.join(", ");
}

/**
 * countsText returns what the figures of a measure lack of the events: values that are absent or no
 * numbers.
 */
export function countsText(events: number, f: Figures | undefined): string[] {
  const parts = [];
  const count = f?.count ?? 0;
  if (count !== events) parts.push(`${numberText(count)} ${count === 1 ? "value" : "values"}`);
  if (f?.invalid) parts.push(`${numberText(f.invalid)} invalid`);
  return parts;
}
