// Which subjects a list shows, and in which order.
import type { Subject } from "./api";

/** Asked is what a reader asks of a list. */
export interface Asked {
  search: string; // a part of an id or a name
  sort: string; // a key of `orders`; any other is the order of ids
  silent: number; // milliseconds without an event, at least; 0 is any
  alerting: boolean; // only subjects with open alerts
}

/** lastSeen is the time of the newest event of a subject, to the hour; undefined if it has none. */
export const lastSeen = (s: Subject) =>
  s.series.reduce<string | undefined>(
    (last, x) => (last && last > x.lastSeen ? last : x.lastSeen),
    undefined,
  );

const never = "";
const seen = (s: Subject) => lastSeen(s) ?? never;
const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const orders: Record<string, (a: Subject, b: Subject) => number> = {
  oldest: (a, b) => text(seen(a), seen(b)),
  newest: (a, b) => text(seen(b), seen(a)),
  series: (a, b) => b.series.length - a.series.length,
  last: (a, b) => text(b.subject, a.subject),
};

/** matches tells whether the id or the name of a subject has a text, which is in lower case. */
export const matches = (s: Subject, wanted: string) =>
  s.subject.toLowerCase().includes(wanted) || !!s.name?.toLowerCase().includes(wanted);

/** select returns the subjects that are asked for. A subject without an event is silent. */
export function select(
  subjects: Subject[],
  asked: Asked,
  alerting: ReadonlyMap<string, unknown>,
  now: number,
): Subject[] {
  const wanted = asked.search.trim().toLowerCase();
  const quiet = (s: Subject) => now - Date.parse(seen(s) || new Date(0).toISOString()) >= asked.silent;
  const found = subjects.filter(
    (s) =>
      matches(s, wanted) &&
      (!asked.silent || quiet(s)) &&
      (!asked.alerting || alerting.has(s.subject)),
  );
  return orders[asked.sort] ? found.sort(orders[asked.sort]) : found;
}
