// The reads of the page of a site, for a period and the one before: totals of rollups and, under filters,
// reports that are counted from the events.
import { useEffect, useMemo, useState } from "preact/hooks";
import { url, type Readable, type Total } from "./api";
import { currentTime } from "./clock";
import { realtime, realtimeMinutes, type Period, type Range } from "./period";
import { usePolled, useReport } from "./polled";
import { byProperty, figureMetrics, isProperty, question, summaries } from "./report";
import type { Base, Filters, Report, Summary } from "./report";
import type { SiteKinds } from "./sitekinds";
import { hour, spanOf, stepAt, within } from "./spans";
import { localZone } from "./time";

/** useClock returns the time, in steps of five minutes. */
export function useClock(): number {
  const read = () => stepAt(currentTime());
  const [now, setNow] = useState(read);
  useEffect(() => {
    const timer = setInterval(() => setNow(read()), 20e3);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** What the page of a site is about. */
export interface Asked {
  place: [subjects: string, id: string];
  kinds: SiteKinds;
  period: Period;
  filters: Filters;
  clock: number;
  utc: boolean;
}

/** The totals of a period. */
export type Totals = Record<"views" | "visits" | "named", { data?: Total }>;

/** useTotals reads the totals of the rollups of a period and of the one before. */
export function useTotals({ place, kinds, period }: Asked) {
  const { views, visits, named } = kinds,
    live = period.name === realtime;
  const read = (kind: Readable | undefined, range: Range, every: number) =>
    usePolled<Total>(
      kind
        ? url(
            [...place, kind.path, "rollups", "total"],
            live && range === period.range ? { last: realtimeMinutes + "m" } : within(range),
          )
        : null,
      every,
    );
  const now = {
    views: read(views, period.range, 5000),
    visits: read(live ? undefined : visits, period.range, 15_000),
    named: read(named, period.range, 15_000),
  };
  // Visits are not kept by the minute: the period before theirs ends at the nearest hour.
  const nearest = { ...period.before, to: Math.round(period.before.to! / hour) * hour };
  const past = {
    views: read(views, period.before, 600_000),
    visits: read(live ? undefined : visits, nearest, 600_000),
    named: read(named, period.before, 600_000),
  };
  return { now, past };
}

/** useFiltered reads the figures of a period and of the one before under filters; nothing without filters. */
export function useFiltered({ place, kinds, period, filters, clock, utc }: Asked) {
  const base: Base = { site: place[1], zone: utc ? "UTC" : localZone, filters };
  const spans = { now: spanOf(period.range, clock), before: spanOf(period.before, clock) };
  const asked = (span: typeof spans.now) =>
    filters.length ? question(base, span, figureMetrics(filters)) : null;
  const now = useReport(asked(spans.now)),
    past = useReport(asked(spans.before), 600_000);
  const chosen = figuresIn(now.data, kinds.visitor),
    before = figuresIn(past.data, kinds.visitor);
  return { base, spans, now, past, chosen, before };
}

/** figuresIn returns the figures of a report without dimensions. */
const figuresIn = (report: Report | undefined, visitor: string) =>
  report && summaries(report.results[0]?.metrics ?? [0, 0, 0, 0, 0, 0], visitor);

/** The kinds of which a site has figures. */
export type Summaries = Record<"views" | "visits", Summary | undefined>;

/** useTops returns the values of all dimensions, and properties of custom events by their names. */
export const useTops = ({ views, visits, named }: Totals) =>
  useMemo(() => {
    const ofEvents = Object.entries(named.data?.dimensions ?? {});
    return {
      ...Object.fromEntries(ofEvents.filter(([d]) => !isProperty(d))),
      ...byProperty(Object.fromEntries(ofEvents)),
      ...visits.data?.dimensions,
      ...views.data?.dimensions,
    };
  }, [named.data, visits.data, views.data]);
