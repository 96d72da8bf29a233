// Figures of a site under filters: questions to the Stats API, and its rows as the page draws them.
import { iso } from "./time";
import type { Rollup, Share, Shares } from "./api";

/** Filters are fields and the values that they must have. */
export type Filters = [field: string, value: string][];

/** A span is from one time to another, in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** A question in the form of the Stats API. */
export interface Question {
  site_id: string;
  metrics: string[];
  date_range: [string, string];
  dimensions: string[];
  filters: [string, string, string[]][];
  timezone: string;
  pagination?: { limit: number };
}

/** Report is the response to a question. A figure that is not known is null. */
export interface Report {
  results: { metrics: (number | null)[]; dimensions: string[] }[];
  meta: { warnings: Record<string, string>; total_rows: number };
}

/** property begins the names of fields that are properties of events. */
export const property = "event:props:";

const ofEvents: Record<string, string> = {
  path: "event:page",
  hostname: "event:hostname",
  name: "event:name",
};
const ofVisits: Record<string, string> = { entry: "visit:entry_page", exit: "visit:exit_page" };

/**
 * dimensionOf returns the name of a field in a question. Fields without a name of their own are of visits.
 */
export const dimensionOf = (field: string) =>
  field.startsWith(property) ? field : (ofEvents[field] ?? ofVisits[field] ?? "visit:" + field);

/** ofCustomEvents is whether a field is of custom events alone: views never have it. */
export const ofCustomEvents = (field: string) => field === "name" || field.startsWith(property);

/** The part of a question that all questions of a page share. */
export interface Base {
  site: string;
  zone: string;
  filters: Filters;
}

export const question = (
  { site, zone, filters }: Base,
  { from, to }: Span,
  metrics: string[],
  dimensions: string[] = [],
  limit?: number,
): Question => ({
  site_id: site,
  metrics,
  date_range: [iso(from), iso(to - 1000)], // the second of the end is included
  dimensions,
  filters: filters.map(([field, value]) => ["is", dimensionOf(field), [value]]),
  timezone: zone,
  ...(limit && { pagination: { limit } }),
});

/**
 * figureMetrics returns the metrics of the figures, in the order in which summaries reads them. Under a
 * filter by custom events, these are counted in place of views.
 */
export const figureMetrics = (filters: Filters) => [
  "visitors",
  filters.some(([field]) => ofCustomEvents(field)) ? "events" : "pageviews",
  "visits",
  "views_per_visit",
  "bounce_rate",
  "visit_duration",
];

/** Summary is what the figures of a site are read from. A number is null if it is not known. */
export interface Summary extends Pick<Rollup, "measures"> {
  events: number | null;
  distinct?: Record<string, { count: number | null; exact: boolean }>;
}

/** summaries returns the figures of a row as the rollups of views and of visits have them. */
export function summaries(row: (number | null)[], visitor: string): { views: Summary; visits: Summary } {
  const [visitors, events, visits, perVisit, bounces, seconds] = row;
  const average = (x: number | null, factor: number) =>
    ({ avg: x === null || !visits ? null : x * factor }) as Rollup["measures"][string];
  return {
    views: {
      events,
      measures: {},
      distinct: { [visitor]: { count: visitors, exact: true } },
    },
    visits: {
      events: visits,
      measures: {
        views: average(perVisit, 1),
        bounce: average(bounces, 0.01),
        duration: average(seconds, 1000),
      },
    },
  };
}

/** countedBy returns the metric that a table of a field counts. */
export const countedBy = (field: string, filters: Filters, ofVisit: boolean) =>
  ofVisit
    ? "visits"
    : ofCustomEvents(field) || filters.some(([f]) => ofCustomEvents(f))
      ? "events"
      : "pageviews";

const separator = "\t"; // between the values of a pair

// Rows of a report that are of no value: views in a table of names, and events without a property.
const noValues = ["pageview", "(none)"];

/** sharesOf returns the rows of a table of values. Those whose number is not known are not listed. */
export function sharesOf({ results, meta }: Report): Shares {
  const rows = results.filter((r) => r.dimensions.some((d) => !noValues.includes(d)));
  const counted = rows.flatMap(({ dimensions, metrics: [count] }) =>
    count === null ? [] : [{ value: dimensions.join(separator), count }],
  );
  const all = counted.reduce((n, { count }) => n + count, 0);
  const values = counted.map((c): Share => ({ ...c, share: all ? c.count / all : 0 }));
  const more = meta.total_rows > results.length || counted.length < rows.length;
  return { values, other: 0, more, exact: true };
}

/** halves returns the two values of a pair; one value that is no pair. */
export const halves = (value: string) => value.split(separator);

/** propertyDimension begins the names of the dimensions of rollups that are properties of events. */
const propertyDimension = "props.";

/**
 * byProperty returns the values of each property of custom events, by the name of its field in questions.
 * Rollups count them for each name of events.
 */
export function byProperty(tops: Record<string, Shares>): Record<string, Shares> {
  const found: Record<string, Shares> = {};
  for (const [field, { values, other }] of Object.entries(tops)) {
    if (!isProperty(field)) continue;
    const counts = new Map<string, number>();
    for (const { value, count } of values) counts.set(value, (counts.get(value) ?? 0) + count);
    found[property + field.slice(propertyDimension.length)] = topOf(counts, other);
  }
  return found;
}

/** isProperty is whether a dimension of rollups is a property of events. */
export const isProperty = (field: string) => field.startsWith(propertyDimension);

function topOf(counts: Map<string, number>, other: number): Shares {
  const all = [...counts.values()].reduce((a, b) => a + b, 0);
  const values = [...counts]
    .map(([value, count]) => ({ value, count, share: count / all }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { values: values.slice(0, 10), other: 0, more: other > 0 || values.length > 10, exact: other === 0 };
}

/**
 * beforeOf returns the count of a value in the period before: 0 if it had none, and null if that is not
 * known.
 */
export function beforeOf(value: string, before: Shares | undefined): number | null {
  if (!before) return null;
  const count = before.values.find((v) => v.value === value)?.count;
  return count ?? (before.other > 0 || before.more || !before.exact ? null : 0);
}

/** bucketLabel returns the label that a report has for a period that begins at a time. */
export function bucketLabel(t: number, unit: "hour" | "day" | "month", utc: boolean): string {
  const at = new Date(utc ? t : t - new Date(t).getTimezoneOffset() * 60e3).toISOString();
  return unit === "hour" ? at.slice(0, 19).replace("T", " ") : at.slice(0, 10);
}
