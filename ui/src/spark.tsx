// A small chart of the last week of a subject, for its row in a list.
import { useEffect, useRef, useState } from "preact/hooks";
import { eventCount, mainFigure, mainOf, mainTitle, mainUnit, measuresIn, withUnit } from "./figures";
import { numberText } from "./number";
import { url, type Chart, type Readable, type Rollup, type Subject } from "./api";
import { currentTime } from "./clock";
import { usePolled } from "./polled";

/** useSeen returns a reference for an element, and whether it was ever in view. */
export function useSeen<T extends Element>() {
  const element = useRef<T>(null),
    [seen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(
      (found) => {
        if (found.some((f) => f.isIntersecting)) {
          setSeen(true);
          watch.disconnect();
        }
      },
      { rootMargin: "100px" },
    );
    watch.observe(element.current!);
    return () => watch.disconnect();
  }, []);
  return [element, seen] as const;
}

const width = 120,
  height = 28,
  week = 7 * 86400e3,
  minute = 60e3;

const hasValue = (rollups: Rollup[], measure: string) => rollups.some((r) => r.measures[measure]?.count);

interface Props {
  subjects: string;
  subject: Subject;
  kinds: Readable[];
  seen: boolean;
}

/** counted finds the series whose events are counted: the views of a site. */
const counted = (subject: Subject, kinds: Readable[], subjects: string) => {
  const views = kinds.find((k) => k.subjects === subjects && k.sessionsOf)?.sessionsOf;
  return subject.series.find((s) => s.kind === views && s.stream === "");
};

/**
 * Spark draws the mean of the first measure that has values, the increase of a counter, or the number of
 * events, of the series with the newest event. Of a site it draws the views, and prints their sum.
 */
export function Spark({ subjects, subject, kinds, seen }: Props) {
  const views = counted(subject, kinds, subjects);
  const newest =
    views ??
    subject.series
      .toSorted((a, b) => (a.lastSeen < b.lastSeen ? 1 : -1))
      .find((s) => kinds.some((k) => k.kind === s.kind && k.subjects === subjects));
  const kind = kinds.find((k) => k.kind === newest?.kind),
    path = kind?.path;
  const recent = newest && Date.parse(newest.lastSeen) > currentTime() - week - 86400e3;
  const { data } = usePolled<Chart>(
    seen && recent && path
      ? url([subjects, subject.subject, path, "rollups"], {
          last: "7d",
          points: "200",
          stream: newest.stream,
        })
      : null,
    5 * minute,
  );
  const filled = data?.rollups.filter((r) => r.events > 0) ?? [];
  if (!data || !filled.length) return <span class="spark" />;
  const measure = views
    ? eventCount
    : measuresIn(filled, newest!.measures).find((m) => !m || hasValue(filled, m))!;
  const main = mainOf(filled, measure);
  const points = filled
    .map((r) => [Date.parse(r.bucket), mainFigure(r, measure, main)] as const)
    .filter((p): p is [number, number] => p[1] !== null);
  const [from, to] = [Date.parse(data.from), Date.parse(data.to)],
    values = points.map((p) => p[1]);
  const high = Math.max(...values),
    least = main === "avg" ? Math.min(...values) : 0;
  const [low, size] = high > least ? [least, high - least] : [least - 1, 2]; // a flat line is in the middle
  const across = (t: number) => ((width * (t - from)) / (to - from)).toFixed(1);
  const down = (v: number) => (height - 3 - ((height - 6) * (v - low)) / size).toFixed(1);
  const at = points.map(([t, v]) => `${across(t)},${down(v)}`);
  const value = withUnit(
    numberText(Number(values.at(-1)!.toPrecision(4))),
    mainUnit(main, kind?.units?.[measure]),
  );
  const last = measure
    ? `${mainTitle(measure, main)} ${value}, last ${filled.at(-1)!.tier}`
    : `${views ? "views" : "events"} ${numberText(values.reduce((a, b) => a + b, 0))} in 7 days`;
  return (
    <span class="spark">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        <polyline points={at.join(" ")} />
        <circle cx={at.at(-1)!.split(",")[0]} cy={at.at(-1)!.split(",")[1]} r="2.5" />
      </svg>{" "}
      <span class="second">{last}</span>
    </span>
  );
}
