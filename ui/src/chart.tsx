// The plot of a measure: mean, percentiles and the band from minimum to maximum; bars of what is counted.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { alone } from "./alone";
import { changeKinds, changeTexts, marked } from "./changes";
import { countsText, curves, eventCount, figures, figureText, figureUnit, headText, state, withUnit } from "./figures";
import { mainFigure, mainOf, mainTitle, mainUnit } from "./figures";
import { decimalsFor, numberText } from "./number";
import { pointed } from "./pointed";
import { color, drawIn, frame, useTheme, wholes } from "./plot";
import { dashed, hatch, mark, tint } from "./shade";
import { bucketText, timeText } from "./time";
import type { Curve, Figures, Main } from "./figures";
import type { Threshold } from "./rules";
import type { Missing, Rollup, Units } from "./api";

type Column = (number | null)[];

/** Line is another series on the plot, of the same measure: its main figure. */
export interface Line {
  name: string;
  rollups: Rollup[];
}

/**
 * columns returns the times in seconds, one column for each of `curves` or for what is counted, and one
 * for each other line.
 */
function columns({
  rollups,
  measure,
  others,
}: Pick<Props, "rollups" | "measure" | "others">): uPlot.AlignedData {
  const times = rollups.map((r) => Date.parse(r.bucket) / 1000);
  const main = mainOf(rollups, measure);
  const more = others.map((o) => {
    const at = new Map(o.rollups.map((r) => [r.bucket, mainFigure(r, measure, main)]));
    return rollups.map((r) => at.get(r.bucket) ?? null);
  });
  if (main !== "avg") return [times, rollups.map((r) => mainFigure(r, measure, main)), ...more];
  const of = (name: keyof Figures): Column => rollups.map((r) => r.measures[measure]?.[name] ?? null);
  return [times, ...curves.map((c) => of(c.name)), ...more] as uPlot.AlignedData;
}

/** A choice turns some columns of the chart on and off. */
type Choice = readonly [name: string, columns: number[], usual: boolean];

/** The lines that the reader can turn on and off: each choice once, with the columns of its curves. */
export const choices: Choice[] = curves
  .filter((c, i) => i === curves.findIndex((o) => o.choice === c.choice))
  .map((c) => [c.choice, curves.flatMap((o, i) => (o.choice === c.choice ? [i + 1] : [])), !!c.usual]);

/**
 * linesIn reads which lines are on from the address; linesParam returns what it reads, null for the
 * usual ones.
 */
export function linesIn(text: string | null): boolean[] {
  const names = text?.split(",");
  return choices.map(([name, , usual]) => (names ? names.includes(name) : usual));
}

export function linesParam(on: boolean[]): string | null {
  if (choices.every(([, , usual], i) => usual === on[i])) return null;
  return choices.flatMap(([name], i) => (on[i] ? [name] : [])).join(",");
}

function lines(bars: boolean, on: boolean[], others: Line[]): uPlot.Series[] {
  const line = (stroke: string, show: boolean, more: uPlot.Series = {}): uPlot.Series => ({
    stroke: color(stroke),
    width: 1,
    points: { show: false },
    show,
    ...more,
  });
  const more = others.map((_, i) => line(`--other-${i}`, true, { width: 2, points: marks }));
  if (bars) {
    return [
      line("--line", true, {
        paths: uPlot.paths.bars!({ size: [0.9, Infinity], align: 1 }),
        fill: color("--band"),
      }),
      ...more,
    ];
  }
  const shown = (c: Curve) => on[choices.findIndex(([name]) => name === c.choice)] ?? false;
  const width = (c: Curve) => (c.name === "avg" ? { width: 2, points: marks } : {});
  return [...curves.map((c) => line(c.stroke, shown(c), width(c))), ...more];
}

// A point marks each bucket of a short chart, and buckets that stand alone in any: these have no line.
const marks: uPlot.Series.Points = {
  show: (u) => u.data[0].length <= 60,
  filter: (u, n, show) => (show ? null : alone(u.data[n] as Column)),
  size: 6,
};

/** boxes draws buckets that stand alone, which have no line: the band of each over its time, and its mean. */
function boxes(u: uPlot, rollups: Rollup[]) {
  const [, least, most, mean] = u.data as Column[];
  const at = (value: number | null) => u.valToPos(value!, "y", true);
  for (const i of alone(mean)) {
    const [left, right] = spanOf(u, rollups[i]);
    if (u.series[1].show) {
      const band = { top: at(most[i]), height: Math.max(1, at(least[i]) - at(most[i])) };
      tint(u.ctx, left, right, band, color("--band"));
    }
    if (u.series[3].show) tint(u.ctx, left, right, { top: at(mean[i]) - 1, height: 2 }, color("--line"));
  }
}

/** spanOf returns where a bucket begins and ends on a plot, at least two pixels wide. */
function spanOf(u: uPlot, r: Rollup): [left: number, right: number] {
  const [left, right] = [r.bucket, r.end].map((t) => u.valToPos(Date.parse(t) / 1000, "x", true));
  return [left, Math.max(left + 2, right)];
}

/**
 * shade marks by a hatch the buckets whose figures miss a change and the times that are not known, the
 * open bucket by a tint, alerts by a line, and the thresholds of rules by a dashed one. A shape at the top
 * marks a bucket that changed after it had closed.
 */
function shade(u: uPlot, { rollups, measure, missing, alerts, thresholds }: Props) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const r of rollups) {
    if (r.exact && !r.open) continue;
    const [left, right] = spanOf(u, r);
    if (r.open) tint(ctx, left, right, bbox, color("--open"));
    if (!r.exact) hatch(ctx, left, right, bbox, color("--inexact"));
  }
  for (const part of missing) {
    const [left, right] = [part.from, part.to].map((t) => u.valToPos(Date.parse(t) / 1000, "x", true));
    hatch(ctx, left, right, bbox, color("--rule"));
  }
  if (mainOf(rollups, measure) === "avg") boxes(u, rollups);
  for (const at of alerts) {
    const x = u.valToPos(at / 1000, "x", true);
    tint(ctx, x - 1, x + 1, bbox, color("--problem"));
  }
  const until = mainOf(rollups, measure) === "avg" ? "bucket" : "end"; // a bar is as wide as its bucket
  changeKinds.forEach(({ name, mark: shape }, row) => {
    for (const r of marked(rollups, name)) {
      const at = (Date.parse(r.bucket) + Date.parse(r[until])) / 2;
      mark(ctx, u.valToPos(at / 1000, "x", true), bbox, row, shape, color("--soft"));
    }
  });
  for (const t of thresholds) {
    const y = u.valToPos(t.value, "y", true);
    dashed(ctx, y, bbox, color("--problem"), t.name);
  }
  ctx.restore();
}

interface Props {
  rollups: Rollup[];
  missing: Missing[];
  measure: string;
  units: Units;
  from: string;
  to: string;
  utc: boolean;
  alerts: number[]; // times in milliseconds
  thresholds: Threshold[]; // of alert rules
  others: Line[];
  on: boolean[]; // which of `choices` are drawn
  setOn: (on: boolean[]) => void;
  zoom: (from: number, to: number) => void;
  choose?: (r: Rollup) => void; // a bucket was clicked, or Space pressed
  shows?: string; // what a click shows
}

const keysHelp = "The arrow keys select a bucket, plus and minus zoom.";
const help = "Point at a bucket, or select one with the arrow keys. Drag over a range to zoom.";

/**
 * Plot draws the rollups. Dragging over a range calls zoom with its ends in milliseconds. The arrow
 * keys select a bucket, whose figures are below the plot; Enter and + show it larger, - shows more.
 */
export function Plot(props: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const plotted = useRef<uPlot>(undefined);
  const latest = useRef(props);
  const [at, setAt] = useState<number | null>(null);
  latest.current = props;
  const { rollups, measure, from, to, utc, alerts, others, thresholds, on, setOn } = props;
  const dark = useTheme();
  const main = mainOf(rollups, measure),
    bars = main !== "avg",
    unit = props.units[measure];
  const decimals = useMemo(
    () => decimalsFor(columns(props).slice(1) as Column[]),
    [rollups, measure, others],
  );

  useEffect(() => {
    const parent = holder.current!;
    const plot = create(parent, latest, on, main, setAt);
    plotted.current = plot;
    return drawIn(parent, plot);
  }, [main, utc, dark, others.length, unit]);
  useEffect(() => {
    plotted.current?.setData(columns(props));
  }, [rollups, measure, from, to, alerts, others, thresholds]);
  useEffect(() => {
    if (!bars)
      choices.forEach(([, of], i) => of.forEach((n) => plotted.current?.setSeries(n, { show: on[i] })));
  }, [on]);

  const chosen = at === null ? undefined : rollups[at];
  const text = chosen && readout(chosen, props, main, decimals);
  const select = (n: number) => {
    const next = Math.max(0, Math.min(rollups.length - 1, n)),
      u = plotted.current;
    if (!rollups.length || !u) return;
    setAt(next);
    moveCursor(u, u.valToPos(u.data[0][next], "x"));
  };
  const keys: Record<string, () => void> = {
    ArrowRight: () => select((at ?? rollups.length) + (at === null ? -1 : 1)),
    ArrowLeft: () => select((at ?? rollups.length) - 1),
    Home: () => select(0),
    End: () => select(rollups.length - 1),
    Enter: () => scale(0.25),
    " ": () => chosen && props.choose?.(chosen),
    "+": () => scale(0.25),
    "-": () => scale(4),
  };
  const scale = (by: number) => {
    const [start, end] = [Date.parse(from), Date.parse(to)],
      middle = chosen ? (Date.parse(chosen.bucket) + Date.parse(chosen.end)) / 2 : (start + end) / 2;
    props.zoom(middle - ((end - start) * by) / 2, middle + ((end - start) * by) / 2);
  };
  return (
    <>
      {!bars && (
        <fieldset class="bar">
          <legend class="away">Lines</legend>
          {choices.map(
            ([name, of], i) =>
              has(rollups, measure, of[0]) && (
                <label class={"key key-" + i}>
                  <input
                    type="checkbox"
                    checked={on[i]}
                    onChange={(e) => setOn(on.with(i, e.currentTarget.checked))}
                  />{" "}
                  {name}
                </label>
              ),
          )}
        </fieldset>
      )}
      <div
        class="plot"
        ref={holder}
        tabIndex={0}
        role="slider"
        aria-label={`${headText(mainTitle(measure, main), mainUnit(main, unit))} over time. ${keysHelp}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, rollups.length - 1)}
        aria-valuenow={at ?? Math.max(0, rollups.length - 1)}
        aria-valuetext={text ?? "no bucket selected"}
        onClick={() => {
          // A tap points and clicks before this is drawn again.
          const r = rollups[plotted.current?.cursor.idxs?.[0] ?? -1];
          if (r && !dragged(plotted.current)) props.choose?.(r);
        }}
        onKeyDown={(e) => {
          const act = keys[e.key];
          if (act && !e.ctrlKey && !e.metaKey && !e.altKey) {
            e.preventDefault();
            act();
          }
        }}
      />
      <p class="readout">{text ?? help + (props.choose ? ` A click shows ${props.shows}.` : "")}</p>
    </>
  );
}

/** has tells whether a figure has a value in any bucket: percentiles are of kinds that declare them. */
const has = (rollups: Rollup[], measure: string, column: number) =>
  rollups.some((r) => (r.measures[measure]?.[curves[column - 1]!.name] ?? null) !== null);

// A drag that zooms ends with a click.
const zoomed = new WeakSet<uPlot>();
const dragged = (u: uPlot | undefined) => !!u && zoomed.delete(u);

function readout(r: Rollup, of: Props, main: Main, decimals: number): string {
  const { measure, utc, others } = of,
    unit = of.units[measure];
  const f = r.measures[measure];
  const parts = [bucketText(r, utc), `${numberText(r.events)} ${r.events === 1 ? "event" : "events"}`];
  if (measure !== eventCount && r.events) parts.push(...countsText(r.events, f));
  for (const figure of f ? figures.filter((x) => !x.counts) : []) {
    const x = f[figure.name];
    if (x === null || x === undefined) continue;
    parts.push(`${figure.title} ${withUnit(figureText(figure, x, decimals), figureUnit(figure, unit))}`);
  }
  parts.push(state(r), ...changeTexts(r, (at) => timeText(at, utc)));
  for (const o of others) {
    const same = o.rollups.find((x) => x.bucket === r.bucket);
    const text = numberText(same && mainFigure(same, measure, main), decimals);
    parts.push(`${o.name}: ${withUnit(text, mainUnit(main, unit))}`);
  }
  return parts.join(" · ");
}

/** fromZero is the range of bars, which begin at zero. */
const fromZero = (_: uPlot, least: number | null, most: number | null): [number, number] => [
  Math.min(0, least ?? 0),
  most && most > 0 ? most * 1.1 : 1,
];

// The cursor is being moved to a bucket that was selected by a key, in a plot and those that follow it.
let keyed = false;

/** moveCursor moves the cursor of a plot, and of the plots that follow it. */
function moveCursor(u: uPlot, left: number) {
  type Move = (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;
  const move: Move = u.setCursor; // its own type lacks the last
  keyed = true;
  move({ left, top: u.over.clientHeight / 2 }, false, true);
  keyed = false;
}

const reach = 8; // pixels around the pointer in which a bucket with events is found

/** selected returns the bucket that is selected where the cursor is at a time: the closest one, if a key did it. */
function selected(u: uPlot, rollups: Rollup[], closest: number, at: number): number {
  const within = u.posToVal(reach, "x") - u.posToVal(0, "x");
  return keyed ? closest : pointed(u.data[0], (i) => rollups[i]?.events ?? 0, closest, at, within);
}

function create(
  parent: HTMLElement,
  latest: { current: Props },
  on: boolean[],
  main: Main,
  select: (at: number | null) => void,
): uPlot {
  const { utc, others, measure, units } = latest.current;
  const { axes, ...rest } = frame(parent, utc, undefined, 1, 0, mainUnit(main, units[measure]));
  return new uPlot(
    {
      ...rest,
      axes: main === "events" ? [axes[0], { ...axes[1], incrs: wholes }] : axes,
      scales: {
        x: { range: () => [Date.parse(latest.current.from) / 1000, Date.parse(latest.current.to) / 1000] },
        ...(main !== "avg" && { y: { range: fromZero } }),
      },
      series: [{}, ...lines(main !== "avg", on, others)],
      bands: main !== "avg" ? [] : [{ series: [2, 1], fill: color("--band") }],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        sync: { key: "series", setSeries: false },
        dataIdx: (u, _, closest, at) => selected(u, latest.current.rollups, closest, at),
      },
      hooks: {
        drawAxes: [(u) => shade(u, latest.current)],
        setCursor: [
          (u) => {
            if (u.cursor.left! >= 0) select(u.cursor.idxs![0] ?? null);
          },
        ],
        setSelect: [
          (u) => {
            if (u.select.width < 4) return;
            const time = (x: number) => u.posToVal(x, "x") * 1000;
            zoomed.add(u);
            latest.current.zoom(time(u.select.left), time(u.select.left + u.select.width));
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    columns(latest.current),
    parent,
  );
}
