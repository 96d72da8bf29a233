// The chart of a series, with its range, measure and lines in the address, and what lies behind it.
import { useMemo, useRef, useState } from "preact/hooks";
import { shared, showsEvents } from "./access";
import { change } from "./address";
import { AlertTable } from "./alerts";
import { raw, url, type Alert, type Chart, type Readable, type Rollup } from "./api";
import type { Series, Tier, Units } from "./api";
import { ChartView } from "./chartview";
import { linesIn, linesParam, type Line } from "./chart";
import { currentTime } from "./clock";
import { Compare, mostOthers, otherName, othersOf, withOthers } from "./compare";
import { Events, Latest } from "./events";
import { eventCount, headText, measureTitle, measuresIn } from "./figures";
import { Members } from "./members";
import { Notice, href } from "./parts";
import { shownBucket } from "./ranks";
import { thresholdsOf, type Rule } from "./rules";
import { usePages, usePolled } from "./polled";
import {
  asksRange,
  inputText,
  inputTime,
  lastMonth,
  lastWeek,
  lengths,
  moved,
  rangeIn,
  rangeParams,
  rangeQuery,
} from "./range";
import type { Range } from "./range";

const day = 86400e3;

/** firstRange is the last 30 days, or where the newest event is older, the 30 days before it. */
function firstRange(s: Series): Range {
  const last = Date.parse(s.lastSeen) + day;
  const end = last < currentTime() ? last : null;
  return { length: Math.min((end ?? currentTime()) - Date.parse(s.firstSeen), 30 * day), end };
}

const noUnits: Units = {};

const mostPoints = 1500; // that the API allows

/**
 * pointsFor returns how many buckets a plot of this screen can show, in steps, so that the path stays
 * the same.
 */
const pointsFor = (width: number) =>
  String(Math.min(mostPoints, Math.max(300, Math.floor(Math.min(width, 1200) / 100) * 100)));

interface Props {
  place: [subjects: string, id: string];
  series: Series;
  all: Series[];
  kind: Readable;
  kinds: Readable[];
  utc: boolean;
  params: URLSearchParams;
}

export function SeriesView({ place, series, all, kind, kinds, utc, params }: Props) {
  const [subjects, id] = place;
  const parts = [...place, kind.path],
    units = kind.units ?? noUnits;
  const [first] = useState(() => firstRange(series));
  const query = params.toString();
  const range = useMemo(() => rangeIn(params) ?? first, [query]);
  const go = (next: Range) => change(rangeParams(next));
  const [points] = useState(() => pointsFor(innerWidth));
  const tier = params.get("tier") ?? undefined; // otherwise the finest that has few enough buckets
  const chartPath = (subject: string, stream: string) =>
    url([subjects, subject, kind.path, "rollups"], { ...rangeQuery(range), points, gaps: "true", stream, tier });
  const path = chartPath(id, series.stream);
  const { data: read, problem } = usePolled<Chart>(path);
  const others = useMemo(() => othersOf(params), [query]);
  const compared = Array.from(
    { length: mostOthers },
    (_, i) =>
      usePolled<Chart>(i < others.length ? chartPath(others[i].subject, others[i].stream) : null).data,
  );
  const lines = useMemo(
    () => others.map((o, i): Line => ({ name: otherName(o, id), rollups: compared[i]?.rollups ?? [] })),
    [JSON.stringify(others), ...compared],
  );
  const previous = useRef<Chart>(undefined);
  if (read) previous.current = read;
  const chart = read ?? previous.current; // the old chart stays, faded, until the new one is there
  const measures = useMemo(() => measuresIn(chart?.rollups ?? [], series.measures), [chart, series]);
  const wanted = params.get("m");
  const measure = wanted ?? measures[0];
  const also = params.getAll("also").filter((m) => m !== measure);
  const rules = useRules([subjects, id], kind);
  const thresholds = useMemo(() => {
    const of = (m: string) => thresholdsOf(rules, kind.kind, series.stream, m);
    const known = new Map([...measures, measure].map((m) => [m, of(m)]));
    return (m: string) => known.get(m) ?? [];
  }, [JSON.stringify(rules), measures, measure]);
  const setAlso = (next: string[]) => {
    const kept = [...params].filter(([name]) => name !== "also");
    location.hash = href(place, [...kept, ...next.map((m): [string, string] => ["also", m])]);
  };
  const on = useMemo(() => linesIn(params.get("lines")), [query]);
  const bucket = chart?.rollups.find((r) => r.bucket === params.get("at"));
  const members = shared ? undefined : kinds.find((k) => k.kind === kind.groupsOf);
  const ranked = shownBucket(chart?.rollups ?? [], params.get("at"));
  const shows = kind.events && showsEvents ? "its events" : members && "its members";
  const own = useAlerts(place, kind, series);
  const times = useMemo(() => own.alerts.map((a) => Date.parse(a.at)), [own.alerts]);
  return (
    <>
      <section aria-label="Chart" aria-busy={!read}>
        <div class="bar">
          <label>
            Measure{" "}
            <select value={measure} onChange={(e) => change({ m: e.currentTarget.value })}>
              {[...new Set([...measures, measure])].map((m) => (
                <option value={m}>{headText(measureTitle(m), units[m])}</option>
              ))}
            </select>
          </label>
          {measures.length > 2 && (
            <label>
              with{" "}
              <select
                aria-label="A chart below"
                value=""
                onChange={(e) => setAlso([...also, e.currentTarget.value])}
              >
                <option value="" disabled selected>
                  a chart below
                </option>
                {measures
                  .filter((m) => m && m !== measure && !also.includes(m))
                  .map((m) => (
                    <option value={m}>{headText(measureTitle(m), units[m])}</option>
                  ))}
              </select>
            </label>
          )}
          <RangeChoice range={range} first={Date.parse(series.firstSeen)} utc={utc} go={go} />
          <label>
            by{" "}
            <select
              aria-label="Tier"
              value={tier ?? ""}
              onChange={(e) => change({ tier: e.currentTarget.value || null })}
            >
              <option value="">automatic</option>
              {kind.tiers.filter(isTier).map((t) => (
                <option value={t.tier}>{t.tier}</option>
              ))}
            </select>
          </label>
        </div>
        {asksRange(params) && !rangeIn(params) && (
          <p class="empty" role="alert">
            The range of this address cannot be shown. Shown is the newest one.
          </p>
        )}
        <Notice problem={problem} waiting={!chart} />
        {!read && chart && !problem && (
          <p class="note late" role="status">
            Reading the chosen range…
          </p>
        )}
        <Compare
          subjects={place[0]}
          id={id}
          chosen={series}
          series={all}
          others={others}
          missing={(i) => !!compared[i] && !compared[i].rollups.some((r) => r.events > 0)}
          change={(next) => {
            const kept = [...params].filter(([name]) => name !== "with");
            location.hash = href(place, [...kept, ...withOthers(next)]);
          }}
        />
        {chart && (
          <ChartView
            chart={chart}
            live={kind.events || !!kind.sessionsOf}
            path={path}
            place={place}
            series={series}
            measure={measure}
            units={units}
            others={lines}
            utc={utc}
            alerts={times}
            also={also}
            setAlso={setAlso}
            thresholds={thresholds}
            on={on}
            setOn={(next) => change({ lines: linesParam(next) }, true)}
            zoom={(from, to) => go({ length: to - from, end: to })}
            shows={shows}
            choose={shows ? (r: Rollup) => change({ at: r.bucket }) : undefined}
          />
        )}
      </section>
      {members && ranked && measure !== eventCount && (
        <Members
          key={ranked.tier + ranked.bucket + measure}
          place={place}
          kind={kind}
          members={members.subjects}
          stream={series.stream}
          measure={measure}
          bucket={ranked}
          utc={utc}
        />
      )}
      {own.alerts.length > 0 && (
        <section>
          <h2>Alerts</h2>
          <AlertTable alerts={own.alerts} utc={utc} />
          {own.more && <p class="note">There are more alerts than these.</p>}
        </section>
      )}
      <div class="columns">
        {kind.latest && <Latest path={url([...parts, "latest"], { stream: series.stream })} units={units} utc={utc} />}
        {kind.events && showsEvents && (
          <Events
            key={bucket?.bucket}
            parts={parts}
            stream={series.stream}
            bucket={bucket}
            units={units}
            utc={utc}
            close={() => change({ at: null })}
          />
        )}
      </div>
    </>
  );
}

/** useRules reads the rules of a series: of its subject's type, and of the subject alone. */
function useRules([subjects, id]: [string, string], kind: Readable): Rule[] {
  const read = (parts: string[]) =>
    usePolled<{ rules: Rule[] }>(kind.alerts && !shared ? url(parts) : null, 60_000).data?.rules ?? [];
  return [...read(["rules", subjects]), ...read([subjects, id, "rules"])];
}

/** useAlerts returns the alerts of a series, and whether there are more than the page reads. */
function useAlerts(place: string[], kind: Readable, series: Series): { alerts: Alert[]; more: boolean } {
  const { data } = usePages<Alert>(
    kind.alerts && !shared ? url([...place, "alerts"], { limit: "100" }) : null,
    "alerts",
  );
  return useMemo(() => {
    const own = (a: Alert) => a.kind === kind.kind && (a.stream ?? "") === series.stream;
    return { alerts: (data?.all ?? []).filter(own), more: !!data?.more };
  }, [data]);
}

interface ChoiceProps {
  range: Range;
  first: number; // time of the first event
  utc: boolean;
  go: (range: Range) => void;
}

function RangeChoice({ range, first, utc, go }: ChoiceProps) {
  const { length, end } = range;
  const now = currentTime();
  const until = end ?? now;
  const set = (from: number, to: number) => to > from && go({ length: to - from, end: to });
  const field = (title: string, t: number, chosen: (t: number) => void, limit: { min?: string; max?: string }) => (
    <label>
      {title}{" "}
      <input
        type="datetime-local"
        value={inputText(t, utc)}
        {...limit}
        onChange={(e) => chosen(inputTime(e.currentTarget.value, utc))}
        onBlur={(e) => (e.currentTarget.value = inputText(t, utc))}
      />
    </label>
  );
  return (
    <>
      {lengths.map(([name, of]) => (
        <button aria-pressed={Math.abs(length - of) < 1000} onClick={() => go({ length: of, end })}>
          {name}
        </button>
      ))}
      <button onClick={() => go({ length: now - first, end: null })}>All</button>
      <button onClick={() => go(lastWeek(now, utc))}>Last week</button>
      <button onClick={() => go(lastMonth(now, utc))}>Last month</button>
      <button onClick={() => go(moved(range, -0.5, now))} aria-label="Earlier">
        ←
      </button>
      <button disabled={end === null} onClick={() => go(moved(range, 0.5, now))} aria-label="Later">
        →
      </button>
      <button aria-pressed={end === null} onClick={() => go({ length, end: null })}>
        Now
      </button>
      {field("from", until - length, (t) => set(t, until), { max: inputText(until, utc) })}
      {field("to", until, (t) => set(until - length, t), { min: inputText(until - length, utc) })}
    </>
  );
}

const isTier = (t: Tier) => t.tier !== raw;
