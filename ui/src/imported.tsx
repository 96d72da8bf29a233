// What other programs counted for a site before: in the stream of imported views, and as days that were
// counted already.
import { useMemo } from "preact/hooks";
import { shared } from "./access";
import { NotKnown } from "./chartview";
import { Curve } from "./curve";
import { Notice } from "./parts";
import type { Period } from "./period";
import { countText, dayText, iso, localZone, monthText } from "./time";
import { url, type Readable, type Rollup } from "./api";
import type { Pages } from "./pages";
import { usePages } from "./polled";

const day = 86400e3;

/** dateIn returns the midnight of the reader's zone that begins the date of a UTC time. */
function dateIn(t: number, utc: boolean): number {
  const at = new Date(t);
  return utc ? t : new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()).getTime();
}

interface Props {
  id: string;
  place: string[];
  views: Readable;
  days?: Readable;
  period: Period;
  utc: boolean;
}

/**
 * Imported draws the views of a period that were imported, each by the program that counted them.
 * Nothing else on the page has them.
 */
export function Imported({ id, place, views, days, period, utc }: Props) {
  const { unit, range, buckets } = period;
  const shown = unit === "day" || unit === "month"; // counted days have no hours
  const read = (path: string[], kind: Readable | undefined, params: Record<string, string>) =>
    usePages<Rollup>(
      shown && kind ? url([...path, kind.path, "rollups", "day"], params) : null,
      "rollups",
      600_000,
    );
  const events = read(place, views, {
    stream: "imported",
    zone: utc ? "UTC" : localZone,
    from: iso(range.from),
  });
  // A link shows one subject, and counted days are another. They are dates without a zone, stored as days of
  // UTC: the first may begin before the range of the reader's zone.
  const counted = read([days?.subjects ?? "", id], shared ? undefined : days, {
    stream: "visitors",
    limit: "1000",
    from: iso(range.from - day),
  });
  const rows = [
    {
      title: "Imported views",
      what: "that another program exported",
      values: useValues(
        buckets,
        events.data,
        (t) => t,
        (r) => r.events,
      ),
    },
    {
      title: "Imported days",
      what: "of days that another program counted",
      values: useValues(
        buckets,
        counted.data,
        (t) => dateIn(t, utc),
        (r) => r.measures.pageviews?.sum ?? 0,
      ),
    },
  ].filter(({ values }) => values.some(Boolean));
  const problem = events.problem ?? counted.problem;
  const missing = [...(events.data?.missing ?? []), ...(counted.data?.missing ?? [])];
  const more = events.data?.more || counted.data?.more;
  if (!rows.length && !problem) return null;
  const label = (i: number) => (unit === "month" ? monthText(buckets[i], utc) : dayText(buckets[i], utc));
  return (
    <section aria-label="Imported">
      <h2>Imported</h2>
      <p class="facts">Counted by the rules of other programs. No other figure of this page has them.</p>
      <Notice problem={problem} waiting={false} />
      {(missing.length > 0 || more) && (
        <p class="facts">
          <NotKnown missing={missing} utc={utc} />
          {more && "There are more days than this page reads."}
        </p>
      )}
      {rows.map(({ title, what, values }) => (
        <div key={title}>
          <p class="facts">
            <strong>{countText(sum(values))}</strong> {sum(values) === 1 ? "view" : "views"} {what}
          </p>
          <Curve
            title={title}
            utc={utc}
            times={buckets}
            values={values}
            before={[]}
            label={label}
            text={countText}
            whole
          />
        </div>
      ))}
    </section>
  );
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** useValues adds up a figure of days in each bucket. */
function useValues(
  buckets: number[],
  data: Pages<Rollup> | undefined,
  at: (t: number) => number,
  figure: (r: Rollup) => number,
): number[] {
  return useMemo(() => {
    const values = buckets.map(() => 0);
    for (const r of data?.all ?? []) {
      const t = at(Date.parse(r.bucket)),
        i = buckets.findLastIndex((b) => b <= t);
      if (i >= 0) values[i] += figure(r);
    }
    return values;
  }, [buckets, data]);
}
