// Rollups and reports in the buckets of a curve.
import type { Rollup } from "./api";
import { summaries, type Report, type Summary } from "./report";
import type { Figure } from "./sitefigures";

/** indexIn returns the last bucket that begins at a time or before it. */
function indexIn(buckets: number[], t: number): number {
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (buckets[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** summariesIn places rollups by the buckets that they begin in. */
export function summariesIn(buckets: number[], rollups: Rollup[]): Summary[] {
  const found: Summary[] = [];
  for (const r of rollups) found[indexIn(buckets, Date.parse(r.bucket))] = r;
  return found;
}

/** reportedIn places the rows of a report by the labels of buckets. */
export function reportedIn(
  starts: number[],
  report: Report | undefined,
  label: (t: number) => string,
  of: Figure["of"],
  visitor: string,
): Summary[] {
  const rows = new Map(report?.results.map((r) => [r.dimensions[0], r.metrics]));
  const found: Summary[] = [];
  starts.forEach((t, i) => {
    const row = rows.get(label(t));
    if (row) found[i] = summaries(row, visitor)[of];
  });
  return found;
}
