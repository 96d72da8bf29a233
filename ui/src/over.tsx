// A figure of a site over time, beside the period before.
import { useMemo } from "preact/hooks";
import { url, type Readable, type Rollup, type Total } from "./api";
import { currentTime } from "./clock";
import { Curve } from "./curve";
import { Notice } from "./parts";
import type { Period, Range } from "./period";
import { reportedIn, summariesIn } from "./placed";
import { usePages, usePolled, useReport } from "./polled";
import { bucketLabel, figureMetrics, question } from "./report";
import type { Base, Question, Report } from "./report";
import type { Figure } from "./sitefigures";
import { hour, spanOf, within } from "./spans";
import { dayText, localZone, monthText } from "./time";
import { known, unfinished } from "./unfinished";

interface Props {
  figure: Figure;
  period: Period;
  utc: boolean;
  place: string[];
  kind: Readable;
  visitor: string;
  base?: Base; // of questions, under filters
  compared: boolean; // the period before can be counted under filters
  clock: number;
}

/** Over draws a figure by minute, hour, day or month. */
export function Over({ figure, period, utc, place, kind, visitor, base, compared, clock }: Props) {
  const { unit, buckets, bucketsBefore, range } = period;
  // Days and months are in the reader's zone.
  const zone = unit === "day" || unit === "month" ? { zone: utc ? "UTC" : localZone } : { limit: "1000" };
  const read = (r: Range, every: number) =>
    usePages<Rollup>(
      base ? null : url([...place, kind.path, "rollups", unit], { ...within(r), ...zone }),
      "rollups",
      every,
    );
  const spanBefore = { from: period.before.from, to: period.endBefore };
  const now = read(range, 15_000),
    past = read(spanBefore, 600_000);
  const asked = (r: Range): Question | null =>
    base && unit !== "minute"
      ? question(base, spanOf(r, clock), figureMetrics(base.filters), ["time:" + unit])
      : null;
  const filtered = useReport(asked(range)),
    filteredBefore = useReport(compared ? asked(spanBefore) : null, 600_000);
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
