// The range of time of a chart, as the address keeps it and as a reader chooses it.
import { monthStart, startOf } from "./period";

const day = 86400e3;
const shortest = 60e3;

/** A range of time in milliseconds. end is null where the range ends now and moves on with the clock. */
export interface Range {
  length: number;
  end: number | null;
}

/** The lengths that a button chooses. */
export const lengths: [title: string, length: number][] = [
  ["1 hour", day / 24],
  ["1 day", day],
  ["1 week", 7 * day],
  ["30 days", 30 * day],
  ["1 year", 365 * day],
];

const longest = 1000 * 365 * day; // further back there are no times that the API has
const earliest = Date.parse("0001-01-01T00:00:00Z"),
  latest = Date.parse("9999-12-31T23:59:59Z");

/**
 * rangeIn returns the range of an address: from and to, or last in seconds, or days; undefined if it
 * has none that can be shown.
 */
export function rangeIn(params: URLSearchParams): Range | undefined {
  const from = Date.parse(params.get("from") ?? "");
  const to = Date.parse(params.get("to") ?? "");
  if (to > from && from >= earliest && to <= latest) return { length: to - from, end: to };
  const last = /^(\d+)s$/.exec(params.get("last") ?? "")?.[1];
  const length = last ? Number(last) * 1000 : Number(params.get("days")) * day;
  return length > 0 && length <= longest ? { length: Math.max(length, shortest), end: null } : undefined;
}

/** asksRange reports whether an address asks for a range, also for one that cannot be shown. */
export const asksRange = (params: URLSearchParams) =>
  ["from", "to", "last", "days"].some((name) => params.has(name));

/** rangeParams returns the parameters that rangeIn reads; null removes one. */
export function rangeParams({ length, end }: Range): Record<string, string | null> {
  if (end === null) return { days: null, from: null, to: null, last: seconds(length) };
  return { days: null, last: null, from: iso(end - Math.max(length, shortest)), to: iso(end) };
}

/** rangeQuery returns what to ask of the API. A range that ends now is a length: the API knows the time. */
export function rangeQuery({ length, end }: Range): Record<string, string> {
  return end === null ? { last: seconds(length) } : { from: iso(end - length), to: iso(end) };
}

const seconds = (length: number) => `${Math.ceil(Math.max(length, shortest) / 1000)}s`;
const iso = (t: number) => new Date(t).toISOString();

/** lastWeek is from Monday to Sunday, lastMonth a whole month, of the reader's zone or of UTC. */
export function lastWeek(now: number, utc: boolean): Range {
  const weekday = utc ? new Date(now).getUTCDay() : new Date(now).getDay();
  const end = startOf(now, utc, -((weekday + 6) % 7));
  return between(startOf(end, utc, -7), end);
}

export function lastMonth(now: number, utc: boolean): Range {
  return between(monthStart(now, utc, -1), monthStart(now, utc));
}

const between = (from: number, to: number): Range => ({ length: to - from, end: to });

/** moved returns a range moved by a part of its length; one that would end in the future ends now. */
export function moved({ length, end }: Range, part: number, now: number): Range {
  const to = (end ?? now) + length * part;
  return { length, end: to < now ? to : null };
}

/** inputText and inputTime convert a time to and from the text of a field of date and time. */
export function inputText(t: number, utc: boolean): string {
  const shift = utc ? 0 : new Date(t).getTimezoneOffset() * 60e3;
  return iso(t - shift).slice(0, "2026-01-01T00:00".length);
}

export const inputTime = (text: string, utc: boolean) => Date.parse(text + (utc ? "Z" : ""));
