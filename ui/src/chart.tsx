// The line plot of a measure: mean, percentiles and the band from minimum to maximum.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Figures, Rollup } from "./api";

export const eventCount = "events";

const figures = ["min", "max", "avg", "p50", "p95", "p99"] as const;
type Column = (number | null)[];

/** columns returns the times in seconds, then one column for each of `figures`. */
function columns(rollups: Rollup[], measure: string): [number[], ...Column[]] {
  const times = rollups.map((r) => Date.parse(r.bucket) / 1000);
  if (measure === eventCount) return [times, rollups.map((r) => r.events)];
  const of = (name: keyof Figures) => rollups.map((r) => r.measures[measure]?.[name] ?? null);
  return [times, ...figures.map(of)];
}

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function lines(measure: string): uPlot.Series[] {
  const line = (label: string, stroke: string, more: uPlot.Series = {}): uPlot.Series =>
    ({ label, stroke: color(stroke), width: 1, points: { show: false }, ...more });
  if (measure === eventCount) {
    const bars = uPlot.paths.bars!({ size: [0.9, 40], align: 1 });
    return [line("events", "--line", { paths: bars, fill: color("--band") })];
  }
  return [
    line("min", "--edge"), line("max", "--edge"), line("mean", "--line", { width: 2, points: { show: undefined } }),
    line("p50", "--p50", { show: false }), line("p95", "--p95", { show: false }), line("p99", "--p99", { show: false }),
  ];
}

/** shade marks the buckets whose figures miss a change by a hatch, and the open one by a tint. */
function shade(u: uPlot, rollups: Rollup[]) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const r of rollups) {
    if (r.exact && !r.open) continue;
    const left = u.valToPos(Date.parse(r.bucket) / 1000, "x", true);
    const right = Math.max(left + 2, u.valToPos(Date.parse(r.end) / 1000, "x", true));
    if (r.open) {
      ctx.fillStyle = color("--open");
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    if (!r.exact) hatch(ctx, left, right, bbox);
  }
  ctx.restore();
}

function hatch(ctx: CanvasRenderingContext2D, left: number, right: number, { top, height }: uPlot.BBox) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, height);
  ctx.clip();
  ctx.strokeStyle = color("--inexact");
  ctx.beginPath();
  for (let x = left - height; x < right; x += 10) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

interface Props {
  rollups: Rollup[]; measure: string; from: string; to: string; utc: boolean;
  zoom: (from: number, to: number) => void;
}

/** Plot draws the rollups. Dragging over a range calls zoom with its ends in milliseconds. */
export function Plot(props: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { rollups, measure, from, to, utc } = props;
  useEffect(() => {
    const parent = holder.current!;
    const axis = { stroke: color("--soft"), grid: { stroke: color("--rule"), width: 1 }, ticks: { show: false } };
    const size = () => ({ width: parent.clientWidth, height: parent.clientWidth < 600 ? 260 : 340 });
    const plot = new uPlot({
      ...size(),
      tzDate: (seconds) => utc ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000),
      scales: { x: { range: () => [Date.parse(from) / 1000, Date.parse(to) / 1000] } },
      axes: [axis, { ...axis, size: 60 }],
      series: [{ value: utc ? "{YYYY}-{MM}-{DD} {HH}:{mm} UTC" : "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...lines(measure)],
      bands: measure === eventCount ? [] : [{ series: [2, 1], fill: color("--band") }],
      cursor: { drag: { x: true, y: false, setScale: false } },
      hooks: {
        drawAxes: [(u) => shade(u, latest.current.rollups)],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          const at = (x: number) => u.posToVal(x, "x") * 1000;
          latest.current.zoom(at(u.select.left), at(u.select.left + u.select.width));
        }],
      },
    }, columns(rollups, measure) as uPlot.AlignedData, parent);
    const watch = new ResizeObserver(() => plot.setSize(size()));
    watch.observe(parent);
    return () => { watch.disconnect(); plot.destroy(); };
  }, [rollups, measure, from, to, utc]);
  return <div class="plot" ref={holder} role="img" aria-label={`${measure} over time; the table below has the same figures`} />;
}
