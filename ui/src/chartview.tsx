// The plot of a series, what is known of it in words, and its buckets as a table.
import { useMemo, useState } from "preact/hooks";
import type { Chart, Missing, Rollup, Series, Units } from "./api";
import { changesIn, legend } from "./changes";
import { currentTime } from "./clock";
import { Plot, type Line } from "./chart";
import { eventCount, figures, figureText, figureUnit, headText, measureTitle, state, withUnit } from "./figures";
import { withoutValues } from "./figures";
import { decimalsFor, fullText, numberText } from "./number";
import { warnings, type Progress } from "./progress";
import type { Threshold } from "./rules";
import { TakeAway } from "./take";
import { bucketText, timeText } from "./time";

interface Props {
  chart: Chart;
  path: string; // of its request
  place: [subjects: string, id: string];
  series: Series;
  measure: string;
  units: Units;
  others: Line[];
  utc: boolean;
  alerts: number[];
  live: boolean; // buckets that have not closed are computed from events: not of groups
  also: string[]; // measures below, under the same cursor
  setAlso: (also: string[]) => void;
  thresholds: (measure: string) => Threshold[];
  on: boolean[];
  setOn: (on: boolean[]) => void;
  zoom: (from: number, to: number) => void;
  choose?: (r: Rollup) => void;
  shows?: string;
}

const noLines: Line[] = [];

export function ChartView({ chart, live, path, place, series, also, setAlso, thresholds, ...rest }: Props) {
  const { measure, units, utc, choose } = rest;
  const range = { rollups: chart.rollups, missing: chart.missing ?? [], from: chart.from, to: chart.to };
  const drawn = { ...rest, ...range };
  const [open, setOpen] = useState(false); // a closed table is not rendered
  const filled = useMemo(() => chart.rollups.filter((r) => r.events > 0), [chart]);
  const missing = chart.missing ?? [];
  const { from, to, segments } = chart;
  const asked = {
    subject: place.join("/"),
    kind: series.kind,
    stream: series.stream,
    measure: measure === eventCount ? "" : measure,
    tier: segments.length === 1 ? segments[0].tier : "",
    from,
    to,
    buckets: chart.rollups.length,
  };
  return (
    <>
      {filled.length === 0 && !missing.length && (
        <p class="empty">
          No events from {timeText(from, utc)} to {timeText(to, utc)}. Choose “All” for every bucket that is
          kept.
        </p>
      )}
      <Plot {...drawn} thresholds={thresholds(measure)} />
      <WithoutValues rollups={chart.rollups} measure={measure} />
      <Thresholds thresholds={thresholds(measure)} unit={units[measure]} />
      <Changes rollups={chart.rollups} />
      {also.map((m) => (
        <section key={m} aria-label={measureTitle(m)}>
          <div class="bar">
            <h3>{headText(measureTitle(m), units[m])}</h3>
            <button class="tab" onClick={() => setAlso(also.filter((x) => x !== m))}>
              <span class="away">{measureTitle(m)}: </span>remove
            </button>
          </div>
          <Plot {...drawn} measure={m} others={noLines} thresholds={thresholds(m)} />
          <WithoutValues rollups={chart.rollups} measure={m} />
          <Thresholds thresholds={thresholds(m)} unit={units[m]} />
        </section>
      ))}
      <Facts chart={chart} live={live} filled={filled} utc={utc} />
      <div class="bar">
        <details class="table" onToggle={(e) => setOpen(e.currentTarget.open)}>
          <summary>
            {filled.length} {filled.length === 1 ? "bucket" : "buckets"} as a table
          </summary>
          {open && (
            <div class="wide" tabIndex={0} role="region" aria-label="Buckets">
              <BucketTable rollups={filled} measure={measure} unit={units[measure]} utc={utc} choose={choose} />
            </div>
          )}
        </details>
        <TakeAway
          path={path}
          name={[place[1], series.stream, from.slice(0, 10)].filter(Boolean).join("-")}
          asked={asked}
        />
      </div>
    </>
  );
}

/** WithoutValues says why a plot of a measure is empty, although there are events. */
function WithoutValues({ rollups, measure }: { rollups: Rollup[]; measure: string }) {
  const text = withoutValues(rollups, measure);
  return text ? <p class="empty">{text}</p> : null;
}

/** Thresholds names the rules whose thresholds are dashed lines. */
function Thresholds({ thresholds, unit }: { thresholds: Threshold[]; unit?: string }) {
  if (!thresholds.length) return null;
  const at = (t: Threshold) => `${t.name} at ${withUnit(fullText(t.value), unit)} (${t.severity})`;
  const text = thresholds.map(at).join(", ");
  return <p class="note">Thresholds: {text}.</p>;
}

/** Changes is the legend of the marks of buckets that changed after they had closed. */
function Changes({ rollups }: { rollups: Rollup[] }) {
  const shown = legend(rollups);
  if (!shown.length) return null;
  return (
    <ul class="note changes" aria-label="Buckets that changed after they had closed">
      {shown.map(({ kind, mark, text }) => (
        <li key={kind.name}>
          <span aria-hidden="true">{mark}</span> {text}
        </li>
      ))}
    </ul>
  );
}

/** NotKnown names the parts of a range of which it is not known whether they had events. */
export function NotKnown({ missing, utc }: { missing: Missing[]; utc: boolean }) {
  return (
    <>
      {missing.map((m) => (
        <span key={m.from}>
          <strong>Not known:</strong> {timeText(m.from, utc)} to {timeText(m.to, utc)}: {m.reason}.{" "}
        </span>
      ))}
    </>
  );
}

interface FactsProps {
  chart: Chart;
  live: boolean;
  filled: Rollup[];
  utc: boolean;
}

function Facts({ chart, live, filled, utc }: FactsProps) {
  const inexact = filled.filter((r) => !r.exact).length;
  const sum = (of: (r: Rollup) => number) => filled.reduce((n, r) => n + of(r), 0);
  const unreadable = sum((r) => r.unreadable);
  const truncated = filled.filter((r) => r.truncated).length;
  const all = chart.missing?.length ? "Every bucket that is shown is exact" : "Every bucket is exact";
  return (
    <p class="facts">
      <strong>Tier:</strong> {chart.reason}. <strong>Range:</strong> {timeText(chart.from, utc)} to{" "}
      {timeText(chart.to, utc)}.{" "}
      {chart.wholeFrom && <>Data before {timeText(chart.wholeFrom, utc)} has expired. </>}
      <NotKnown missing={chart.missing ?? []} utc={utc} />
      {inexact > 0 ? (
        <>
          {inexact} hatched {inexact === 1 ? "bucket is" : "buckets are"} inexact: a change arrived too late
          to be included.{" "}
        </>
      ) : (
        filled.length > 0 && all + exactFor(chart)
      )}
      {unreadable > 0 && <>{numberText(unreadable)} events cannot be decoded and are in no figure. </>}
      {truncated > 0 && (
        <>
          {truncated} {truncated === 1 ? "bucket was" : "buckets were"} too large for a row: percentiles, rare
          values or undeclared measures are left out.{" "}
        </>
      )}
      {filled.some((r) => r.open) && <>The tinted bucket is still open. </>}
      <NotProcessed of={chart} utc={utc} />
      {chart.completeThrough && (
        <>
          Stored rows are complete through {timeText(chart.completeThrough, utc)}
          {live ? "; later buckets are computed as you read" : "; later buckets of a group are not known yet"}.{" "}
        </>
      )}
      {chart.processedThrough && <>Changes are processed through {timeText(chart.processedThrough, utc)}.</>}
    </p>
  );
}

/** exactFor ends a sentence that calls the figures of a response exact: they are, for the changes that it has. */
export const exactFor = (of?: Progress) =>
  warnings(of, currentTime(), String).length ? " for the changes that are processed. " : ". ";

/** NotProcessed says which changes may be missing from a response: it is exact for those that are processed. */
export function NotProcessed({ of, utc }: { of?: Progress; utc: boolean }) {
  return (
    <>
      {warnings(of, currentTime(), (at) => timeText(at, utc)).map((text) => (
        <span key={text}>
          <strong>{text}</strong>{" "}
        </span>
      ))}
    </>
  );
}

interface TableProps {
  rollups: Rollup[];
  measure: string;
  unit?: string;
  utc: boolean;
  choose?: (r: Rollup) => void;
}

// The figures whose digits tell buckets apart.
const values = figures.filter((f) => ["min", "avg", "max", "first", "last"].includes(f.name));

/**
 * BucketTable has every figure of a measure, newest bucket first. The full value of a figure is its
 * title.
 */
function BucketTable({ rollups, measure, unit, utc, choose }: TableProps) {
  const rows = useMemo(() => rollups.toReversed(), [rollups]);
  const shown = figures.filter((f) => rows.some((r) => (r.measures[measure]?.[f.name] ?? null) !== null));
  const decimals = useMemo(
    () => decimalsFor(values.map((f) => rows.map((r) => r.measures[measure]?.[f.name]))),
    [rows, measure],
  );
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Bucket</th>
          <th scope="col">Events</th>
          {shown.map((f) => (
            <th scope="col">{headText(f.title, figureUnit(f, unit))}</th>
          ))}
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((r) => (
          <tr>
            <th scope="row">
              {choose ? (
                <button class="tab" onClick={() => choose(r)}>
                  {bucketText(r, utc)}
                </button>
              ) : (
                bucketText(r, utc)
              )}
            </th>
            <td class="number">{numberText(r.events)}</td>
            {shown.map((f) => (
              <td class="number" title={fullText(r.measures[measure]?.[f.name])}>
                {figureText(f, r.measures[measure]?.[f.name], decimals)}
              </td>
            ))}
            <td>
              {state(r)}
              {changesIn(r).map(({ kind, at }) => (
                <span key={kind.name} title={timeText(at, utc)}>
                  , {kind.name}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
