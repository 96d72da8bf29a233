// The figures of the page views that meet a filter, computed from the events themselves: rollups count the
// values of
// one field at a time, so they cannot say from which countries the views of one page came.
import { useEffect, useState } from "preact/hooks";
import { iso } from "./time";
import { Problem, request, url, type Event, type History, type Rollup, type Shares } from "./api";

/** Filters are fields and the values that they must have. */
export type Filters = [field: string, value: string][];

const pageSize = "1000",
  maxPages = 20,
  shownValues = 10;

export interface Filtered {
  events?: Event[];
  since?: string;
  problem?: Problem;
}

/**
 * useFiltered reads the events of a range that meet the filters; null reads none. since is set if
 * there are too many: the time from which they are complete.
 */
export function useFiltered(
  parts: string[],
  filters: Filters | null,
  fields: string[],
  from: number,
  to: number | null,
): Filtered {
  const key = filters && JSON.stringify([parts, filters, from, to]);
  const [state, setState] = useState<Filtered & { key?: string }>({});
  useEffect(() => {
    if (!filters || !key) return;
    const stop = new AbortController();
    const params: [string, string][] = [
      ["limit", pageSize],
      ["from", iso(from)],
      ["fields", fields.join(",")],
      ...filters.map(([f, v]): [string, string] => ["where", `${f}="${v}"`]),
    ];
    if (to !== null) params.push(["to", iso(to)]);
    readAll(parts, params, stop.signal).then(
      (got) => setState({ ...got, key }),
      (cause) => {
        if (!stop.signal.aborted)
          setState({ key, problem: cause instanceof Problem ? cause : new Problem(-1, String(cause)) });
      },
    );
    return () => stop.abort();
  }, [key]);
  return key && state.key === key ? state : {};
}

async function readAll(parts: string[], params: [string, string][], signal: AbortSignal): Promise<Filtered> {
  const events: Event[] = [];
  let cursor: string | null = "";
  for (let n = 0; n < maxPages; n++) {
    const { body } = await request(url(parts, [...params, ["cursor", cursor]]), signal);
    const page = body as History;
    events.push(...page.events);
    if (!page.next) return { events };
    cursor = page.next;
  }
  return { events, since: events.at(-1)?.at ?? undefined };
}

/**
 * summaryOf returns the number of events, of different values of the distinct fields, and the most
 * frequent values of the dimensions.
 */
export function summaryOf(
  events: Event[],
  dimensions: string[],
  distinct: string[],
): Pick<Rollup, "events" | "dimensions" | "distinct" | "measures"> {
  const countsOf = (field: string) => {
    const counts = new Map<string, number>();
    for (const { fields } of events) {
      const value = fields[field];
      if (typeof value === "string") counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  };
  return {
    events: events.length,
    measures: {},
    distinct: Object.fromEntries(distinct.map((f) => [f, { count: countsOf(f).size, exact: true }])),
    dimensions: Object.fromEntries(dimensions.map((f) => [f, topOf(countsOf(f))])),
  };
}

function topOf(counts: Map<string, number>): Shares {
  const all = [...counts]
    .map(([value, count]) => ({ value, count, share: 0 }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const total = all.reduce((n, v) => n + v.count, 0);
  const values = all.slice(0, shownValues).map((v) => ({ ...v, share: v.count / total }));
  return { values, other: total - values.reduce((n, v) => n + v.count, 0), exact: true };
}
