// The plot of one figure of a site, and of the period before as a dashed line.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { split } from "./unfinished";
import { color, drawIn, frame, useTheme, wholes } from "./plot";

type Values = (number | null)[];

const height = 0.75; // of the plot of a measure

interface Props {
  title: string;
  utc: boolean;
  times: number[];
  values: Values; // times are the starts of the buckets, in milliseconds
  open?: number; // the bucket that has not ended
  before: Values; // of the period before, bucket by bucket
  label: (i: number) => string; // names a bucket
  text: (x: number | null) => string;
  whole: boolean; // the figure is a number of things
}

/** Curve draws a figure. The arrow keys select a bucket, whose figures are above the plot. */
export function Curve(props: Props) {
  const { title, utc, times, values, before, label, text } = props;
  const holder = useRef<HTMLDivElement>(null),
    drawn = useRef<uPlot>(undefined),
    latest = useRef(props);
  const [at, setAt] = useState<number | null>(null);
  latest.current = props;
  const dark = useTheme();
  useEffect(() => {
    const plot = create(holder.current!, latest, setAt);
    drawn.current = plot;
    return drawIn(holder.current!, plot, height);
  }, [utc, dark, title, times[1] - times[0]]);
  useEffect(() => {
    drawn.current?.setData(data(props));
  }, [times, values, before, props.open]);

  const select = (n: number) => {
    const i = Math.max(0, Math.min(times.length - 1, n)),
      u = drawn.current;
    setAt(i);
    if (u) u.setCursor({ left: u.valToPos(u.data[0][i], "x"), top: u.over.clientHeight / 2 }, false);
  };
  const keys: Record<string, () => void> = {
    ArrowRight: () => select(at === null ? 0 : at + 1),
    ArrowLeft: () => select((at ?? times.length) - 1),
    Home: () => select(0),
    End: () => select(times.length - 1),
  };
  const said = (i: number) =>
    `${label(i)}: ${text(values[i])}${i === props.open ? " so far" : ""}` +
    (before[i] === null || before[i] === undefined ? "" : `, the period before ${text(before[i])}`);
  const shown = at !== null && at < times.length ? said(at) : "";
  return (
    <>
      <p class="readout one" aria-hidden="true">
        {shown || (
          <>
            <span class="key key-1">{title}</span>{" "}
            {before.length > 0 && <span class="key key-before">the period before</span>}
          </>
        )}
      </p>
      <div
        class="plot low"
        ref={holder}
        tabIndex={0}
        role="slider"
        aria-label={`${title} over time. The arrow keys select a point.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={shown || "no point selected"}
        onKeyDown={(e) => {
          const act = keys[e.key];
          if (act && !e.ctrlKey && !e.metaKey && !e.altKey) {
            e.preventDefault();
            act();
          }
        }}
      />
    </>
  );
}

const data = ({ times, values, before, open }: Props): uPlot.AlignedData => {
  const { whole, dashed } = split(values, open);
  return [times.map((t) => t / 1000), whole, times.map((_, i) => before[i] ?? null), dashed];
};

function create(parent: HTMLElement, latest: { current: Props }, select: (at: number | null) => void): uPlot {
  const { utc, text, times, whole } = latest.current;
  const {
    axes: [across, up],
    ...rest
  } = frame(
    parent,
    utc,
    text,
    height,
    times.length > 1 ? Math.floor((times[1] - times[0]) / 86400e3) * 86400 : 0,
  );
  return new uPlot(
    {
      ...rest,
      axes: [across, { ...up, ...(whole && { incrs: wholes }) }],
      scales: { y: { range: (_, _min, max) => [0, Math.max(max, 1) * 1.1] } },
      series: [
        {},
        {
          stroke: color("--line"),
          width: 2,
          fill: color("--open"),
          points: { show: (u) => u.data[0].length <= 60, size: 5, fill: color("--line") },
        },
        { stroke: color("--soft"), width: 1, dash: [4, 4], points: { show: false } },
        { stroke: color("--line"), width: 2, dash: [6, 4], points: { show: false } },
      ],
      cursor: { drag: { x: false, y: false }, y: false },
      hooks: { setCursor: [(u) => select(u.cursor.left! >= 0 ? (u.cursor.idx ?? null) : null)] },
    },
    data(latest.current),
    parent,
  );
}
