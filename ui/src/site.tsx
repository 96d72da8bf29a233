// The page of a site: its visitors, views and visits in a period, compared with the period before.
import { useEffect, useMemo, useState } from "preact/hooks";
import { shared } from "./access";
import { currentTime } from "./clock";
import { Curve } from "./curve";
import { Goals } from "./goals";
import { Imported } from "./imported";
import { Notice, Title, href } from "./parts";
import { periodNames, periodOf, realtime, realtimeMinutes, type Period, type Range } from "./period";
import { beside, dateText, datesOf, unitsOf } from "./period";
import { byProperty, countedBy, dimensionOf, halves, isPlace, ofCustomEvents, property } from "./report";
import { bucketLabel, figureMetrics, question, summaries } from "./report";
import type { Base, Filters, Question, Report, Span, Summary } from "./report";
import { countText, dayText, durationText, iso, localZone, monthText, percentText, tenthsText } from "./time";
import { NotKnown, NotProcessed } from "./chartview";
import { change } from "./address";
import { known, unfinished } from "./unfinished";
import { Tops, fieldTitle, tabParam, valueText } from "./tops";
import { url, type Readable, type Rollup, type Total } from "./api";
import { usePages, usePolled, useReport } from "./polled";

/**
 * The kinds of a site: views of pages, the visits that they make, events with a name, and days that
 * another program counted.
 */
export interface SiteKinds {
  views: Readable;
  visits: Readable;
  visitor: string;
  named?: Readable;
  imported?: Readable;
}

/** siteKinds finds the kinds by which a type of subject is a site; undefined if it is none. */
export function siteKinds(kinds: Readable[], subjects: string): SiteKinds | undefined {
  const own = kinds.filter((k) => k.subjects === subjects);
  const visits = own.find((k) => k.sessionsOf),
    views = own.find((k) => k.kind === visits?.sessionsOf);
  const visitor = visits?.distinct[0];
  if (!visits || !views || !visitor) return;
  return {
    views,
    visits,
    visitor,
    named: own.find((k) => k !== views && k.dimensions.includes("name")),
    imported: kinds.find((k) => k.kind === "IMPORTEDDAY"),
  };
}

interface Figure {
  title: string;
  of: "views" | "visits";
  value: (r: Summary, visitor: string) => number | null;
  text: (x: number | null) => string;
  gaps?: boolean;
  estimate?: (r: Summary, visitor: string) => boolean; // within a few per cent
}

// gaps: a time without visits has no value, instead of zero.
const figures: Figure[] = [
  {
    title: "Visitors",
    of: "views",
    value: (r, visitor) => (r.distinct?.[visitor] ?? { count: 0 }).count,
    estimate: (r, visitor) => r.distinct?.[visitor]?.exact === false,
    text: countText,
  },
  { title: "Views", of: "views", value: (r) => r.events, text: countText },
  { title: "Visits", of: "visits", value: (r) => r.events, text: countText },
  {
    title: "Views per visit",
    of: "visits",
    value: (r) => r.measures.views?.avg ?? null,
    text: tenthsText,
    gaps: true,
  },
  {
    title: "Bounce rate",
    of: "visits",
    value: (r) => r.measures.bounce?.avg ?? null,
    text: percentText,
    gaps: true,
  },
  {
    title: "Duration",
    of: "visits",
    value: (r) => ((r.measures.duration?.avg ?? null) === null ? null : r.measures.duration.avg! / 1000),
    text: durationText,
    gaps: true,
  },
];

const fiveMinutes = 300e3,
  hour = 3600e3;

/** useClock returns the time, in steps of five minutes. */
function useClock(): number {
  const read = () => Math.floor(currentTime() / fiveMinutes) * fiveMinutes;
  const [now, setNow] = useState(read);
  useEffect(() => {
    const timer = setInterval(() => setNow(read()), 20e3);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface Props {
  subjects: string;
  id: string;
  params: URLSearchParams;
  kinds: SiteKinds;
  utc: boolean;
}

export function SitePage({ subjects, id, params, kinds, utc }: Props) {
  const { views, visits, named } = kinds;
  const clock = useClock(),
    name = params.get("period"),
    by = params.get("by");
  const period = useMemo(() => periodOf(name, clock, utc, by), [name, clock, utc, by]);
  const live = period.name === realtime;
  const fields = useMemo(() => new Set([...visits.dimensions, "path", "hostname", "name"]), [visits]);
  // A filter counts events by their visitors, which a link does not show.
  const filterable = (d: string) => !shared && (fields.has(d) || d.startsWith(property));
  const filters: Filters = [...params].filter(([d]) => filterable(d));
  const address = (changes: { period?: string; filters?: Filters }) =>
    href(
      [subjects, id],
      [["period", changes.period ?? period.name], ...kept(params), ...(changes.filters ?? filters)],
    );

  const read = (kind: Readable | undefined, range: Range, every: number) =>
    usePolled<Total>(
      kind
        ? url(
            [subjects, id, kind.path, "rollups", "total"],
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

  const base: Base = { site: id, zone: utc ? "UTC" : localZone, filters };
  const spans = { now: spanOf(period.range, clock), before: spanOf(period.before, clock) };
  const figuresOf = (span: Span) => (filters.length ? question(base, span, figureMetrics(filters)) : null);
  const filtered = useReport(figuresOf(spans.now)),
    filteredBefore = useReport(figuresOf(spans.before), 600_000);
  const chosen = of(filtered.data, kinds.visitor),
    before = of(filteredBefore.data, kinds.visitor);

  const summary: Record<Figure["of"], Summary | undefined> = filters.length
    ? { views: chosen?.views, visits: chosen?.visits }
    : { views: now.views.data, visits: now.visits.data };
  const earlier: Record<Figure["of"], Summary | undefined> = filters.length
    ? { views: before?.views, visits: before?.visits }
    : { views: past.views.data, visits: past.visits.data };
  const problem = now.views.problem ?? now.visits.problem ?? filtered.problem;
  const waiting = !summary.views && !problem;
  const tops = useMemo(() => withProperties(now), [now.named.data, now.visits.data, now.views.data]);
  const topsBefore = useMemo(
    () => withProperties(past),
    [past.named.data, past.visits.data, past.views.data],
  );
  const pairs = [...(views.pairs ?? []), ...(visits.pairs ?? [])];
  const halvesOf = (d: string) => pairs.find((p) => p.name === d)?.of ?? [d];
  const has = (kind: { data?: Total }, d: string) => d in (kind.data?.dimensions ?? {});
  const ofVisit = (d: string) => has(now.visits, d) && !has(now.views, d);
  const metric = (d: string) => countedBy(d, filters, ofVisit(d));
  // Days of UTC are days of the tier. In another zone, the API counts exactly the events of the range.
  const whole = utc
    ? { tier: period.unit === "day" ? "day" : "hour", ...within(period.range) }
    : { zone: localZone, ...within(period.range) };
  const more = (d: string) => {
    const kind = [views, visits, named].find((k) => k?.dimensions.includes(d));
    if (!kind || period.unit === "month") return null;
    return url([subjects, id, kind.path, "top", d], {
      limit: "200",
      ...(live ? { tier: "minute", last: realtimeMinutes + "m" } : whole),
    });
  };
  const ask = (d: string, limit: number) => {
    const of = (span: Span) => question(base, span, [metric(d)], halvesOf(d).map(dimensionOf), limit);
    return { now: of(spans.now), before: of(spans.before) };
  };
  const shown = figures.find((f) => f.title === params.get("show")) ?? figures[0];
  const usable = figures.filter((f) => f.of === "views" || !live || filters.length > 0);
  const figure = usable.includes(shown) ? shown : figures[0];
  return (
    <main>
      <div class="bar">
        <Title subjects={subjects} id={id} />
        <Present
          path={url([subjects, id, views.path, "rollups", "total"], { last: "5m" })}
          visitor={kinds.visitor}
        />
      </div>
      <nav class="bar" aria-label="Period">
        {periodNames.map(({ name, title }) => (
          <a
            class="choice"
            aria-current={name === period.name ? "true" : undefined}
            href={address({ period: name })}
          >
            {title}
          </a>
        ))}
        <a class="choice end" href={href([subjects, id], [["kind", views.kind]])}>
          Charts and events
        </a>
      </nav>
      <Dates period={period} clock={clock} utc={utc} />
      {filters.length > 0 && (
        <ul class="bar filters" aria-label="Filters">
          {filters.map(([d, v], i) => (
            <li key={d + v}>
              <a class="chip" href={address({ filters: filters.toSpliced(i, 1) })}>
                <span class="away">Remove the filter</span> <span class="soft">{fieldTitle(d)}</span>{" "}
                <bdi>{valueText(d, v)}</bdi> <span aria-hidden="true">×</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <Notice problem={problem} waiting={waiting} />
      {summary.views && (
        <>
          <section aria-label="Figures">
            <div class="figures">
              {figures.map((f) => (
                <Number
                  key={f.title}
                  figure={f}
                  title={f.title === "Views" && filters.some(([d]) => ofCustomEvents(d)) ? "Events" : f.title}
                  pressed={f === figure}
                  choose={() => change({ show: f.title })}
                  disabled={!usable.includes(f)}
                  visitor={kinds.visitor}
                  now={summary[f.of]}
                  past={earlier[f.of]}
                />
              ))}
            </div>
            {(!live || !filters.length) && (
              <Over
                key={figure.title}
                figure={figure}
                period={period}
                utc={utc}
                place={[subjects, id]}
                kind={kinds[figure.of]}
                visitor={kinds.visitor}
                base={filters.length ? base : undefined}
                clock={clock}
              />
            )}
            <Facts
              period={period}
              utc={utc}
              total={filters.length ? undefined : now.views.data}
              filtered={filters.length > 0}
              warnings={filtered.data?.meta.warnings ?? {}}
            />
          </section>
          {summary.views.events === 0 && !now.named.data?.events && (
            <p class="empty">
              {filters.length
                ? "No view of the period has these values."
                : "No view in this period. Choose a longer one, or see README for the tag that sends views."}
            </p>
          )}
          {visits.goals && now.visits.data && !filters.length && (
            <Goals goals={visits.goals} visits={now.visits.data} utc={utc} />
          )}
          <Tops
            tab={(title) => params.get(tabParam(title))}
            tops={tops}
            past={topsBefore}
            pairs={pairs}
            all={!filters.length}
            unit={(d) => counts[metric(d)]}
            more={more}
            ask={filters.length ? ask : undefined}
            filter={(d) => {
              const of = halvesOf(d);
              if (!of.every(filterable)) return;
              const others = filters.filter(([f]) => !of.includes(f));
              const added = (v: string) => of.map((f, i): Filters[0] => [f, halves(v)[i]]);
              return (v) => address({ filters: [...others, ...added(v)] });
            }}
          />
          {!filters.length && (
            <Imported
              id={id}
              place={[subjects, id]}
              views={views}
              days={kinds.imported}
              period={period}
              utc={utc}
            />
          )}
        </>
      )}
    </main>
  );
}

const counts: Record<string, string> = { pageviews: "Views", visits: "Visits", events: "Events" };

const spanOf = (range: Range, clock: number): Span => ({
  from: range.from,
  to: range.to ?? clock + fiveMinutes,
});

/** of returns the figures of a report without dimensions. */
const of = (report: Report | undefined, visitor: string) =>
  report && summaries(report.results[0]?.metrics ?? [0, 0, 0, 0, 0, 0], visitor);

type Totals = Record<"views" | "visits" | "named", { data?: Total }>;

/** withProperties returns the values of all dimensions, and properties of custom events by their names. */
function withProperties({ views, visits, named }: Totals) {
  const ofEvents = Object.entries(named.data?.dimensions ?? {});
  return {
    ...Object.fromEntries(ofEvents.filter(([d]) => !isPlace(d))),
    ...byProperty(Object.fromEntries(ofEvents)),
    ...visits.data?.dimensions,
    ...views.data?.dimensions,
  };
}

const unitNames: Record<string, string> = { hour: "Hours", day: "Days", month: "Months" };

/** Dates chooses a period of one's own, the one before and the one after, and how the chart is cut. */
function Dates({ period, clock, utc }: { period: Period; clock: number; utc: boolean }) {
  if (period.unit === "minute") return null;
  const [first, last] = datesOf(period.name) ?? [
    dateText(period.range.from, utc),
    dateText((period.range.to ?? clock + 1) - 1, utc),
  ];
  const go = (name: string | null) => datesOf(name) && change({ period: name });
  const later = beside(period, 1, clock, utc);
  const units = unitsOf(period, clock, utc);
  return (
    <div class="bar">
      <label>
        from{" "}
        <input
          type="date"
          value={first}
          max={last}
          onChange={(e) => go(`${e.currentTarget.value}..${last}`)}
        />
      </label>
      <label>
        to{" "}
        <input
          type="date"
          value={last}
          min={first}
          onChange={(e) => go(`${first}..${e.currentTarget.value}`)}
        />
      </label>
      <button aria-label="The period before" onClick={() => go(beside(period, -1, clock, utc))}>
        ←
      </button>
      <button aria-label="The period after" disabled={!later} onClick={() => go(later)}>
        →
      </button>
      {units.length > 1 && (
        <label>
          by{" "}
          <select value={period.unit} onChange={(e) => change({ by: e.currentTarget.value })}>
            {units.map((u) => (
              <option value={u}>{unitNames[u]}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

const within = ({ from, to }: Range): Record<string, string> => ({
  from: iso(from),
  ...(to !== null && { to: iso(to) }),
});

/** kept returns the parameters of a view that a link to another period or filter keeps. */
const kept = (params: URLSearchParams) =>
  [...params].filter(([name]) => ["show", "zone", "by"].includes(name) || name.startsWith(tabParam("")));

/** Present counts the visitors of the last five minutes. */
function Present({ path, visitor }: { path: string; visitor: string }) {
  const { data } = usePolled<Total>(path);
  const n = data?.distinct?.[visitor]?.count ?? 0;
  return (
    <p class={"present" + (n ? " some" : "")} aria-live="polite">
      {data ? `${countText(n)} ${n === 1 ? "visitor" : "visitors"} in the last 5 minutes` : ""}
    </p>
  );
}

interface NumberProps {
  figure: Figure;
  title: string;
  pressed: boolean;
  disabled: boolean;
  choose: () => void;
  visitor: string;
  now?: Summary;
  past?: Summary;
}

function Number({ figure, title, pressed, disabled, choose, visitor, now, past }: NumberProps) {
  const value = now ? figure.value(now, visitor) : null,
    before = past ? figure.value(past, visitor) : null;
  return (
    <button class="figure" aria-pressed={pressed} disabled={disabled} onClick={choose}>
      <span class="soft">{title}</span>
      <strong>
        {now && figure.estimate?.(now, visitor) && "≈ "}
        {figure.text(value)}
      </strong>
      <Change value={value} before={before} text={figure.text} />
    </button>
  );
}

function Change({
  value,
  before,
  text,
}: {
  value: number | null;
  before: number | null;
  text: Figure["text"];
}) {
  if (value === null || !before) return <small class="soft">{before === 0 ? "none before" : "\u00a0"}</small>;
  const change = (value - before) / before,
    amount = percentText(Math.abs(change));
  const [mark, word] =
    Math.abs(change) < 0.005 ? ["", "as"] : change > 0 ? ["▲ ", "more than"] : ["▼ ", "less than"];
  return (
    <small class="soft" title={`${text(before)} in the period before`}>
      <span aria-hidden="true">{mark ? mark + amount : "as before"}</span>
      <span class="away">
        {mark && amount} {word} in the period before, {text(before)}
      </span>
    </small>
  );
}

interface OverProps {
  figure: Figure;
  period: Period;
  utc: boolean;
  place: string[];
  kind: Readable;
  visitor: string;
  base?: Base; // of questions, under filters
  clock: number;
}

/** Over draws a figure by minute, hour, day or month. */
function Over({ figure, period, utc, place, kind, visitor, base, clock }: OverProps) {
  const { unit, buckets, bucketsBefore, range } = period;
  // Days and months are in the reader's zone.
  const zone = unit === "day" || unit === "month" ? { zone: utc ? "UTC" : localZone } : { limit: "1000" };
  const read = (r: Range, every: number) =>
    usePages<Rollup>(
      base ? null : url([...place, kind.path, "rollups", unit], { ...within(r), ...zone }),
      "rollups",
      every,
    );
  const now = read(range, 15_000),
    past = read({ from: period.before.from, to: period.endBefore }, 600_000);
  const asked = (r: Range): Question | null =>
    base && unit !== "minute"
      ? question(base, spanOf(r, clock), figureMetrics(base.filters), ["time:" + unit])
      : null;
  const filtered = useReport(asked(range)),
    filteredBefore = useReport(asked({ from: period.before.from, to: period.endBefore }), 600_000);
  const open = unfinished(buckets, range.to, currentTime());
  const same = useSamePart(period, base ? undefined : open, [...place, kind.path]);
  const reported = (starts: number[], report: Report | undefined) =>
    reportedIn(starts, report, (t) => bucketLabel(t, unit as "hour", utc), figure.of, visitor);
  const values = useMemo(() => {
    const points = base ? reported(buckets, filtered.data) : summariesIn(buckets, now.data?.all ?? []);
    const last = range.to ?? currentTime(),
      none = figure.gaps || !(base ? filtered : now).data ? null : 0; // not 0 before it is read
    const all = buckets.map((t, i) =>
      t > last ? null : points[i] ? figure.value(points[i], visitor) : none,
    );
    return base ? all : known(all, buckets, now.data?.missing ?? []);
  }, [buckets, now.data, filtered.data]);
  const before = useMemo(() => {
    const rollups = past.data?.all ?? [],
      points = base ? reported(bucketsBefore, filteredBefore.data) : summariesIn(bucketsBefore, rollups);
    if (!points.length) return [];
    const whole = (i: number) => (points[i] ? figure.value(points[i], visitor) : figure.gaps ? null : 0);
    const all = buckets.map((_, i) => (i === open ? same && figure.value(same, visitor) : whole(i)));
    return known(all, bucketsBefore, past.data?.missing ?? []).map((x) => x ?? null);
  }, [buckets, past.data, filteredBefore.data, open, same]);
  const label = (i: number) =>
    unit === "month" ? monthText(buckets[i], utc) : dayText(buckets[i], utc, unit !== "day");
  return (
    <>
      <Notice problem={now.problem} waiting={!(base ? filtered : now).data && !filtered.problem} />
      {now.data?.more && (
        <p class="note">The period has more buckets than this page reads: not all are shown.</p>
      )}
      <Curve
        title={figure.title}
        utc={utc}
        times={buckets}
        values={values}
        open={open}
        before={before}
        label={label}
        text={figure.text}
        whole={!figure.gaps}
      />
    </>
  );
}

/**
 * useSamePart reads the part of the period before that compares with the unfinished day or month; null where
 * there is none, because a whole bucket would be too much.
 */
function useSamePart({ unit, before, bucketsBefore }: Period, open: number | undefined, path: string[]) {
  const from = open === undefined ? undefined : bucketsBefore[open];
  const to = Math.round(before.to! / hour) * hour; // visits are not kept by the minute
  const read = (unit === "day" || unit === "month") && from !== undefined && from < to;
  const { data } = usePolled<Total>(
    read ? url([...path, "rollups", "total"], within({ from, to })) : null,
    600_000,
  );
  return data ?? null;
}

/** indexIn returns the last bucket that begins at a time or before it. */
function indexIn(buckets: number[], t: number): number {
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (buckets[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** summariesIn places rollups by the buckets that they begin in. */
function summariesIn(buckets: number[], rollups: Rollup[]): Summary[] {
  const found: Summary[] = [];
  for (const r of rollups) found[indexIn(buckets, Date.parse(r.bucket))] = r;
  return found;
}

/** reportedIn places the rows of a report by the labels of buckets. */
function reportedIn(
  starts: number[],
  report: Report | undefined,
  label: (t: number) => string,
  of: Figure["of"],
  visitor: string,
): Summary[] {
  const rows = new Map(report?.results.map((r) => [r.dimensions[0], r.metrics]));
  const found: Summary[] = [];
  starts.forEach((t, i) => {
    const row = rows.get(label(t));
    if (row) found[i] = summaries(row, visitor)[of];
  });
  return found;
}

interface FactsProps {
  period: Period;
  utc: boolean;
  total?: Total;
  filtered: boolean;
  warnings: Record<string, string>; // of the Stats API
}

/** Facts says what the figures are compared with, and what they lack. */
function Facts({ period, utc, total, filtered, warnings }: FactsProps) {
  const clock = period.unit === "minute" || period.unit === "hour";
  return (
    <p class="facts">
      Compared with {dayText(period.before.from, utc, clock)} to {dayText(period.before.to!, utc, true)}.{" "}
      {filtered && "Under a filter, figures are counted from the events, while these are stored. "}
      {[...new Set(Object.values(warnings))].map((w) => (
        <span key={w}>{w}. </span>
      ))}
      <NotKnown missing={total?.missing ?? []} utc={utc} />
      <NotProcessed of={total} utc={utc} />
      {total?.exact && "Every bucket is exact. "}
      {total &&
        !total.exact &&
        !total.missing?.length &&
        "Some buckets are inexact: a change arrived too late to be included. "}
      {total &&
        !Object.values(total.distinct ?? {}).every((d) => d.exact) &&
        "The number of visitors is an estimate, within a few per cent. "}
      {period.name === realtime && !filtered && "Visits need a longer period. "}
    </p>
  );
}
