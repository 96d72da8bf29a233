// What all plots share: their colors, size and axes.
import { useEffect, useState } from "preact/hooks";
import uPlot from "uplot";
import { stepTexts } from "./number";
import { axisText } from "./time";

export const color = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * useTheme returns a value that changes with the color scheme, because the canvas keeps the colors it
 * was drawn with.
 */
export function useTheme(): boolean {
  const query = matchMedia("screen and (prefers-color-scheme: dark)");
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return dark;
}

const sizeOf = (parent: HTMLElement, part: number) => ({
  width: parent.clientWidth,
  height: Math.round((parent.clientWidth < 600 ? 260 : 340) * part),
});

const axis = () => ({
  stroke: color("--soft"),
  grid: { stroke: color("--rule"), width: 1 },
  ticks: { show: false },
});

const minute = 60,
  hour = 3600,
  day = 86400;
const steps = [
  minute,
  5 * minute,
  10 * minute,
  30 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
  14 * day,
  30 * day,
  60 * day,
  90 * day,
  180 * day,
  365 * day,
];

/**
 * frame returns the options of a plot over time in the zone of the reader. values formats the labels
 * of the vertical axis, part scales the height, labels of the time axis are at least `least` seconds
 * apart, and unit stands beside the vertical axis.
 */
export function frame(
  parent: HTMLElement,
  utc: boolean,
  values?: (x: number) => string,
  part = 1,
  least = 0,
  unit = "",
) {
  return {
    ...sizeOf(parent, part),
    tzDate: (seconds: number) =>
      utc ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000),
    axes: [
      {
        ...axis(),
        space: 70,
        size: 34,
        ...(least && { incrs: steps.filter((s) => s >= least) }),
        values: (_: uPlot, splits: number[], _axis: number, _space: number, step: number) =>
          splits.map((s) => axisText(s, step, utc)),
      },
      {
        ...axis(),
        size: labelWidth,
        ...(unit && { label: unit, labelSize: 18, labelGap: 0, labelFont: "12px system-ui" }),
        values: (_: uPlot, splits: number[], _axis: number, _space: number, step: number) =>
          once(values ? splits.map((x) => values(x)) : stepTexts(splits, step)),
      },
    ],
    legend: { show: false },
  };
}

const digitWidth = 7.5;
const leastWidth = 60;

/** labelWidth is as wide as the longest label of the vertical axis, so that no digit is cut. */
const labelWidth = (_: uPlot, labels: string[] | null) =>
  Math.max(leastWidth, 16 + digitWidth * Math.max(0, ...(labels ?? []).map((l) => l.length)));

/** wholes are the steps of an axis that counts. */
export const wholes = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [1, 2, 5].map((x) => x * 10 ** n));

/** once leaves out labels that say the same as the one before. */
const once = (labels: string[]) => labels.map((l, i) => (l === labels[i - 1] ? "" : l));

/** drawIn keeps a plot as wide as its parent until the returned function is called. */
export function drawIn(parent: HTMLElement, plot: uPlot, part = 1): () => void {
  const watch = new ResizeObserver(() => plot.setSize(sizeOf(parent, part)));
  watch.observe(parent);
  return () => {
    watch.disconnect();
    plot.destroy();
  };
}
