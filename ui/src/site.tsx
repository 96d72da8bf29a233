// The page of a site: its visitors, views and visits in a period, compared with the period before.
import { useEffect, useMemo, useState } from "preact/hooks";
import { shared } from "./access";
import { Curve } from "./curve";
import { summaryOf, useFiltered, type Filters } from "./filtered";
import { Goals } from "./goals";
import { Imported } from "./imported";
import { Notice, Title, href } from "./parts";
import { periodNames, periodOf, realtime, realtimeMinutes, type Period, type Range } from "./period";
import { countText, dayText, durationText, iso, localZone, monthText, percentText, tenthsText } from "./time";
import { NotKnown, NotProcessed } from "./chartview";
import { change } from "./address";
import { known, unfinished } from "./unfinished";
import { Tops, tabParam, valueText } from "./tops";
import { url, type Event, type Readable, type Rollup, type Total } from "./api";
import { usePages, usePolled } from "./polled";

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

type Summary = Pick<Rollup, "events" | "measures" | "dimensions" | "distinct">;

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
    value: (r, visitor) => r.distinct?.[visitor]?.count ?? 0,
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
  const read = () => Math.floor(Date.now() / fiveMinutes) * fiveMinutes;
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
    name = params.get("period");
  const period = useMemo(() => periodOf(name, clock, utc), [name, clock, utc]);
  const live = period.name === realtime;
  // A filter counts events by their visitors, which a link does not show.
  const filters: Filters = shared
    ? []
    : views.dimensions.flatMap((d): Filters => params.getAll(d).map((v) => [d, v]));
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
  };

  const fields = [...views.dimensions, kinds.visitor];
  const filtered = useFiltered(
    [subjects, id, views.path],
    filters.length ? filters : null,
    fields,
    period.range.from,
    period.range.to ?? clock + fiveMinutes,
  );
  const chosen = useMemo(
    () => filtered.events && summaryOf(filtered.events, views.dimensions, [kinds.visitor]),
    [filtered.events],
  );

  const summary: Record<Figure["of"], Summary | undefined> = filters.length
    ? { views: chosen, visits: undefined }
    : { views: now.views.data, visits: now.visits.data };
  const waiting = !summary.views && !filtered.problem;
  const problem = now.views.problem ?? now.visits.problem ?? filtered.problem;
  const tops = filters.length
    ? chosen?.dimensions
    : { ...now.named.data?.dimensions, ...now.visits.data?.dimensions, ...now.views.data?.dimensions };
  const counted = (d: string) =>
    d in (summary.views?.dimensions ?? {})
      ? "Views"
      : d in (now.visits.data?.dimensions ?? {})
        ? "Visits"
        : "Events";
  // Whole hours of the reader's zone are hours of the tier; its months are not.
  const more = (d: string) => {
    const kind = [views, visits, named].find((k) => k?.dimensions.includes(d));
    if (!kind || filters.length || period.unit === "month") return null;
    return url([subjects, id, kind.path, "top", d], {
      limit: "200",
      ...(live ? { tier: "minute", last: realtimeMinutes + "m" } : { tier: "hour", ...within(period.range) }),
    });
  };
  const shown = figures.find((f) => f.title === params.get("show")) ?? figures[0];
  const usable = figures.filter((f) => f.of === "views" || (!live && !filters.length));
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
      {filters.length > 0 && (
        <ul class="bar filters" aria-label="Filters">
          {filters.map(([d, v], i) => (
            <li key={d + v}>
              <a class="chip" href={address({ filters: filters.toSpliced(i, 1) })}>
                <span class="away">Remove the filter</span> <span class="soft">{d}</span> {valueText(d, v)}{" "}
                <span aria-hidden="true">×</span>
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
                  pressed={f === figure}
                  choose={() => change({ show: f.title })}
                  disabled={!usable.includes(f)}
                  visitor={kinds.visitor}
                  now={summary[f.of]}
                  past={filters.length ? undefined : past[f.of].data}
                />
              ))}
            </div>
            <Over
              key={figure.title}
              figure={figure}
              period={period}
              utc={utc}
              place={[subjects, id]}
              kind={kinds[figure.of]}
              visitor={kinds.visitor}
              filtered={filters.length ? filtered.events : undefined}
            />
            <Facts
              period={period}
              utc={utc}
              total={filters.length ? undefined : now.views.data}
              filters={filters}
              views={summary.views.events}
              since={filtered.since}
              whole={now.views.data}
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
            tops={tops ?? {}}
            all={!filters.length}
            unit={counted}
            more={more}
            filter={(d) =>
              !shared && views.dimensions.includes(d) && !filters.some(([f]) => f === d)
                ? (v) => address({ filters: [...filters, [d, v]] })
                : undefined
            }
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

const within = ({ from, to }: Range): Record<string, string> => ({
  from: iso(from),
  ...(to !== null && { to: iso(to) }),
});

/** kept returns the parameters of a view that a link to another period or filter keeps. */
const kept = (params: URLSearchParams) =>
  [...params].filter(([name]) => name === "show" || name === "zone" || name.startsWith(tabParam("")));

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
  pressed: boolean;
  disabled: boolean;
  choose: () => void;
  visitor: string;
  now?: Summary;
  past?: Summary;
}

function Number({ figure, pressed, disabled, choose, visitor, now, past }: NumberProps) {
  const value = now ? figure.value(now, visitor) : null,
    before = past ? figure.value(past, visitor) : null;
  return (
    <button class="figure" aria-pressed={pressed} disabled={disabled} onClick={choose}>
      <span class="soft">{figure.title}</span>
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
  filtered?: Event[];
}

/** Over draws a figure by minute, hour, day or month. */
function Over({ figure, period, utc, place, kind, visitor, filtered }: OverProps) {
  const { unit, buckets, bucketsBefore, range } = period;
  // Days and months are in the reader's zone.
  const zone = unit === "day" || unit === "month" ? { zone: utc ? "UTC" : localZone } : { limit: "1000" };
  const read = (r: Range, every: number) =>
    usePages<Rollup>(
      filtered ? null : url([...place, kind.path, "rollups", unit], { ...within(r), ...zone }),
      "rollups",
      every,
    );
  const now = read(range, 15_000),
    past = read({ from: period.before.from, to: period.endBefore }, 600_000);
  const open = unfinished(buckets, range.to, Date.now());
  const same = useSamePart(period, filtered ? undefined : open, [...place, kind.path]);
  const values = useMemo(() => {
    const points = filtered
      ? eventsIn(buckets, filtered, visitor)
      : summariesIn(buckets, now.data?.all ?? []);
    const last = range.to ?? Date.now(),
      none = figure.gaps || (!filtered && !now.data) ? null : 0; // not 0 before it is read
    const all = buckets.map((t, i) =>
      t > last ? null : points[i] ? figure.value(points[i], visitor) : none,
    );
    return filtered ? all : known(all, buckets, now.data?.missing ?? []);
  }, [buckets, now.data, filtered]);
  const before = useMemo(() => {
    const rollups = past.data?.all ?? [],
      points = summariesIn(bucketsBefore, rollups);
    if (!rollups.length) return [];
    const whole = (i: number) => (points[i] ? figure.value(points[i], visitor) : figure.gaps ? null : 0);
    const all = buckets.map((_, i) => (i === open ? same && figure.value(same, visitor) : whole(i)));
    return known(all, bucketsBefore, past.data?.missing ?? []).map((x) => x ?? null);
  }, [buckets, past.data, open, same]);
  const label = (i: number) =>
    unit === "month" ? monthText(buckets[i], utc) : dayText(buckets[i], utc, unit !== "day");
  return (
    <>
      <Notice problem={now.problem} waiting={!filtered && !now.data} />
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

function eventsIn(buckets: number[], events: Event[], visitor: string): Summary[] {
  const of = Map.groupBy(events, (e) => indexIn(buckets, Date.parse(e.at!)));
  return buckets.map((_, i) => summaryOf(of.get(i) ?? [], [], [visitor]));
}

interface FactsProps {
  period: Period;
  utc: boolean;
  total?: Total;
  filters: Filters;
  views: number;
  since?: string;
  whole?: Total;
}

/** Facts says what the figures are compared with, and what they lack. */
function Facts({ period, utc, total, filters, views, since, whole }: FactsProps) {
  const clock = period.unit === "minute" || period.unit === "hour";
  const [[field, value] = []] = filters;
  const known =
    filters.length === 1
      ? (whole?.dimensions?.[field!]?.values.find((v) => v.value === value)?.count ?? 0)
      : 0;
  return (
    <p class="facts">
      {!filters.length && (
        <>
          Compared with {dayText(period.before.from, utc, clock)} to {dayText(period.before.to!, utc, true)}
          .{" "}
        </>
      )}
      {filters.length > 0 && <>A filter counts the events themselves; visits cannot be filtered. </>}
      {known > views && <>{countText(known)} views had this value: the events of the others have expired. </>}
      {since && (
        <>
          More views match than a page reads: the figures begin at {dayText(Date.parse(since), utc, true)}
          .{" "}
        </>
      )}
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
      {period.name === realtime && "Visits need a longer period. "}
    </p>
  );
}
