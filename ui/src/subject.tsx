// The page of one subject: a chart of a measure, the latest state and the newest events.
import { useMemo, useRef, useState } from "preact/hooks";
import { AlertTable } from "./alerts";
import { Plot, eventCount, type Line } from "./chart";
import { Compare, mostOthers, otherName, othersOf, withOthers, type Other } from "./compare";
import { Notice, Title, href } from "./parts";
import { iso, numberText, timeText } from "./time";
import { url, usePolled, type Alerts, type Chart, type Event, type History, type Profile, type Readable, type Series, type Subject } from "./api";

const day = 86400e3;
const ranges: [string, number][] = [["1 hour", day / 24], ["1 day", day], ["1 week", 7 * day], ["30 days", 30 * day], ["1 year", 365 * day]];
const shownStreams = 50;

interface Props { subjects: string; id: string; params: URLSearchParams; kinds: Readable[]; utc: boolean; site: boolean }

export function SubjectPage({ subjects, id, params, kinds, utc, site }: Props) {
  const { data, problem } = usePolled<Subject>(url([subjects, id, "series"]), 30_000);
  const series = data?.series ?? [];
  const chosen = series.find((s) => s.kind === params.get("kind") && s.stream === (params.get("stream") ?? "")) ?? series[0];
  const kind = kinds.find((k) => k.kind === chosen?.kind && k.subjects === subjects);
  return (
    <main>
      <div class="bar">
        <Title subjects={subjects} id={id} />
        {site && <a class="choice" href={href([subjects, id])}>Visitors and visits</a>}
      </div>
      <Notice problem={problem} waiting={!data} />
      {data && !chosen && (data.profile
        ? <p class="empty">{kinds.some((k) => k.subjects === subjects) ? "No event is stored yet." : `Subjects of this type have a profile, and no events.`}</p>
        : <p class="empty">Nothing is stored for {id}.</p>)}
      {chosen && series.length > 1 && <SeriesChoice place={[subjects, id]} series={series} chosen={chosen} kinds={kinds} />}
      {chosen && !kind && (
        <p class="empty">The series {chosen.kind}{chosen.stream && ` · ${chosen.stream}`} cannot be shown: the API describes no kind {chosen.kind} of {subjects}. Its rows stay
        in the table. Declare the kind in tidemark.yaml again to read them.</p>
      )}
      {chosen && kind && <SeriesView key={chosen.kind + "/" + chosen.stream} place={[subjects, id]} series={chosen} all={series} kind={kind} utc={utc} others={othersOf(params)} days={Number(params.get("days"))} />}
      {data?.profile && <ProfileFields path={url([subjects, id])} />}
    </main>
  );
}

/** SeriesChoice links to each series; with many streams, to those that contain a text. */
function SeriesChoice({ place, series, chosen, kinds }: { place: string[]; series: Series[]; chosen: Series; kinds: Readable[] }) {
  const [search, setSearch] = useState("");
  const name = (s: Series) => (kinds.find((k) => k.kind === s.kind)?.path ?? s.kind) + (s.stream && ` · ${s.stream}`);
  const found = series.filter((s) => name(s).toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <nav class="bar" aria-label="Series">
      {series.length > shownStreams && (
        <label>Find a series <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} /></label>
      )}
      {found.slice(0, shownStreams).map((s) => (
        <a key={s.kind + "/" + s.stream} class="choice" aria-current={s === chosen ? "true" : undefined} href={href(place, { kind: s.kind, stream: s.stream })}>{name(s)}</a>
      ))}
      {found.length > shownStreams && <span class="note">and {found.length - shownStreams} more of {series.length}</span>}
    </nav>
  );
}

/** A range of time in milliseconds. end is null where the range ends now and moves on with the clock. */
interface Range { length: number; end: number | null }

/** firstRange is the last 30 days, or as many as the address says, or where the newest event is older, the days before it. */
function firstRange(s: Series, days: number): Range {
  const last = Date.parse(s.lastSeen) + day;
  const end = last < Date.now() ? last : null;
  return { length: Math.min((end ?? Date.now()) - Date.parse(s.firstSeen), (days > 0 ? days : 30) * day), end };
}

interface SeriesProps { place: [subjects: string, id: string]; series: Series; all: Series[]; kind: Readable; utc: boolean; others: Other[]; days: number }

function SeriesView({ place, series, all, kind, utc, others, days }: SeriesProps) {
  const [subjects, id] = place, parts = [...place, kind.path];
  const measures = [...series.measures, eventCount];
  const [chosen, setMeasure] = useState<string>();
  const [range, setRange] = useState(() => firstRange(series, days));
  const [before, setBefore] = useState<Range[]>([]);
  const { length: span, end } = range, live = end === null;
  const go = (length: number, end: number | null) => { setBefore([...before, range]); setRange({ length: Math.max(length, 60e3), end }); };
  const move = (by: number) => { const to = (end ?? Date.now()) + by; go(span, to < Date.now() ? to : null); };
  // A range that ends now is a length: the API knows the time.
  const when = useMemo((): Record<string, string> => end === null ? { last: `${Math.ceil(span / 1000)}s` } : { from: iso(end - span), to: iso(end) }, [range]);
  const chartOf = (subject: string, stream: string) => url([subjects, subject, kind.path, "rollups"], { ...when, points: "400", gaps: "true", stream });
  const { data: read, problem } = usePolled<Chart>(chartOf(id, series.stream));
  const compared = Array.from({ length: mostOthers }, (_, i) => usePolled<Chart>(i < others.length ? chartOf(others[i].subject, others[i].stream) : null).data);
  const lines = useMemo(() => others.map((o, i): Line => ({ name: otherName(o, id), rollups: compared[i]?.rollups ?? [] })), [JSON.stringify(others), ...compared]);
  const previous = useRef<Chart>(undefined);
  if (read) previous.current = read;
  const chart = read ?? previous.current; // the old chart stays until the new one is there
  const first = useMemo(() => measures.find((m) => chart?.rollups.some((r) => r.measures[m]?.count)), [chart]);
  const measure = chosen ?? first ?? measures[0];
  const { data: alerts } = usePolled<Alerts>(kind.alerts ? url([...place, "alerts"], { limit: "100" }) : null);
  const own = useMemo(() => (alerts?.alerts ?? []).filter((a) => a.kind === kind.kind && (a.stream ?? "") === series.stream), [alerts]);
  const times = useMemo(() => own.map((a) => Date.parse(a.at)), [own]);
  return (
    <>
      <section aria-label="Chart" aria-busy={!read}>
        <div class="bar">
          <label>Measure <select value={measure} onChange={(e) => setMeasure(e.currentTarget.value)}>{measures.map((m) => <option>{m}</option>)}</select></label>
          {ranges.map(([name, length]) => (
            <button aria-pressed={Math.abs(span - length) < 1000} onClick={() => go(length, end)}>{name}</button>
          ))}
          <button onClick={() => go(Date.now() - Date.parse(series.firstSeen), null)}>All</button>
          <button onClick={() => move(-span / 2)} aria-label="Earlier">←</button>
          <button disabled={live} onClick={() => move(span / 2)} aria-label="Later">→</button>
          <button aria-pressed={live} onClick={() => go(span, null)}>Now</button>
          <button disabled={!before.length} onClick={() => { setRange(before.at(-1)!); setBefore(before.slice(0, -1)); }}>Back</button>
        </div>
        <Notice problem={problem} waiting={!chart} />
        <Compare id={id} chosen={series} series={all} others={others} missing={(i) => !!compared[i] && !compared[i].rollups.some((r) => r.events > 0)}
          change={(next) => { location.hash = href(place, [["kind", series.kind], ["stream", series.stream], ...withOthers(next)]); }} />
        {chart && <ChartView others={lines} chart={chart} measure={measure} utc={utc} zoom={(from, to) => go(to - from, to)} alerts={times} />}
      </section>
      {own.length > 0 && <section><h2>Alerts</h2><AlertTable alerts={own} utc={utc} /></section>}
      <div class="columns">
        {kind.latest && <Latest path={url([...parts, "latest"], { stream: series.stream })} utc={utc} />}
        {kind.events && <Events path={url(parts, { limit: "20", stream: series.stream })} utc={utc} />}
      </div>
    </>
  );
}

interface ChartProps { chart: Chart; others: Line[]; measure: string; utc: boolean; alerts: number[]; zoom: (from: number, to: number) => void }

function ChartView({ chart, others, measure, utc, alerts, zoom }: ChartProps) {
  const [open, setOpen] = useState(false); // a closed table is not rendered
  const filled = useMemo(() => chart.rollups.filter((r) => r.events > 0), [chart]);
  const inexact = filled.filter((r) => !r.exact).length;
  return (
    <>
      {filled.length === 0 && <p class="empty">No events from {timeText(chart.from, utc)} to {timeText(chart.to, utc)}. Choose “All” for every bucket that is kept.</p>}
      <Plot rollups={chart.rollups} measure={measure} from={chart.from} to={chart.to} utc={utc} alerts={alerts} others={others} zoom={zoom} />
      <p class="facts">
        <strong>Tier:</strong> {chart.reason}.{" "}
        <strong>Range:</strong> {timeText(chart.from, utc)} to {timeText(chart.to, utc)}.{" "}
        {chart.wholeFrom && <>Data before {timeText(chart.wholeFrom, utc)} has expired. </>}
        {inexact > 0
          ? <>{inexact} hatched {inexact === 1 ? "bucket is" : "buckets are"} inexact: a change arrived too late to be included. </>
          : filled.length > 0 && <>Every bucket is exact. </>}
        {filled.some((r) => r.open) && <>The tinted bucket is still open. </>}
        {chart.completeThrough && <>Stored rows are complete through {timeText(chart.completeThrough, utc)}; later buckets are computed as you read.</>}
      </p>
      <details onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>{filled.length} {filled.length === 1 ? "bucket" : "buckets"} as a table</summary>
        {open && <div class="wide" tabIndex={0} role="region" aria-label="Buckets"><BucketTable rollups={filled} measure={measure} utc={utc} /></div>}
      </details>
    </>
  );
}

const shown = ["min", "avg", "max", "p50", "p95", "p99"] as const;

function BucketTable({ rollups, measure, utc }: { rollups: Chart["rollups"]; measure: string; utc: boolean }) {
  return (
    <table>
      <thead><tr><th scope="col">Bucket</th><th scope="col">Events</th>{shown.map((f) => <th scope="col">{f === "avg" ? "mean" : f}</th>)}<th scope="col">State</th></tr></thead>
      <tbody>
        {rollups.toReversed().map((r) => (
          <tr>
            <th scope="row">{timeText(r.bucket, utc)}</th>
            <td class="number">{numberText(r.events)}</td>
            {shown.map((f) => <td class="number">{numberText(r.measures[measure]?.[f])}</td>)}
            <td>{r.open ? "open" : r.exact ? "exact" : "inexact"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const fieldText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function Fields({ of }: { of: Record<string, unknown> }) {
  return <dl>{Object.entries(of).map(([name, value]) => <div><dt>{name}</dt><dd>{fieldText(value)}</dd></div>)}</dl>;
}

function ProfileFields({ path }: { path: string }) {
  const { data, problem } = usePolled<Profile>(path, 30_000);
  return (
    <section>
      <h2>Profile</h2>
      <Notice problem={problem} waiting={!data} />
      {data && <Fields of={data.fields} />}
    </section>
  );
}

function Latest({ path, utc }: { path: string; utc: boolean }) {
  const { data, problem } = usePolled<Event>(path);
  return (
    <section>
      <h2>Latest</h2>
      {problem?.status === 404 ? <p class="empty">This series has no event yet.</p> : <Notice problem={problem} waiting={!data} />}
      {data && <p class="note">{timeText(data.at, utc)}</p>}
      {data && <Fields of={data.fields} />}
    </section>
  );
}

function Events({ path, utc }: { path: string; utc: boolean }) {
  const { data, problem } = usePolled<History>(path);
  const names = [...new Set((data?.events ?? []).flatMap((e) => Object.keys(e.fields)))];
  return (
    <section>
      <h2>Newest events</h2>
      <Notice problem={problem} waiting={!data} />
      {data?.events.length === 0 && <p class="empty">No event is stored: events expire before their rollups.</p>}
      {!!data?.events.length && (
        <div class="wide" tabIndex={0} role="region" aria-label="Newest events">
          <table>
            <thead><tr><th scope="col">Time</th>{names.map((n) => <th scope="col">{n}</th>)}</tr></thead>
            <tbody>{data.events.map((e) => (
              <tr key={e.at + e.id}><th scope="row">{timeText(e.at, utc)}</th>{names.map((n) => <td>{n in e.fields ? fieldText(e.fields[n]) : ""}</td>)}</tr>
            ))}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}
