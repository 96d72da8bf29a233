// What changed a bucket after it had closed, as far as its row tells: in words, and by a shape on the plot.
import type { Rollup } from "./api";

export type Change = "late" | "corrected" | "recomputed";

/** A kind of change, with the mark that a plot draws for it, and what is said of the buckets that have it. */
export interface Kind {
  name: Change;
  mark: string;
  means: string;
}

export const changeKinds: Kind[] = [
  { name: "late", mark: "▼", means: "an event arrived after the bucket had closed" },
  { name: "corrected", mark: "◆", means: "an event was corrected after the bucket had closed" },
  {
    name: "recomputed",
    mark: "■",
    means: "an event was deleted, or a repair or a late sweep wrote the row",
  },
];

/** changesIn returns the kinds of change that a bucket has, with their times. */
export function changesIn(r: Rollup): { kind: Kind; at: string }[] {
  return changeKinds.flatMap((kind) => {
    const at = r.changed?.[kind.name];
    return at ? [{ kind, at }] : [];
  });
}

const changedBy = (rollups: Rollup[], name: Change) => rollups.filter((r) => r.changed?.[name]);

const filled = (rollups: Rollup[]) => rollups.filter((r) => r.events > 0).length;

/**
 * ofMost tells whether nearly all of several buckets have a change, as after an import, whose newest buckets have
 * not closed: marks would tell few apart.
 */
const ofMost = (rollups: Rollup[], name: Change) => {
  const n = changedBy(rollups, name).length;
  return n > 2 && n >= 0.9 * filled(rollups);
};

/** marked returns the buckets at which a plot draws the mark of a change. */
export const marked = (rollups: Rollup[], name: Change) =>
  ofMost(rollups, name) ? [] : changedBy(rollups, name);

/** legend says how many buckets have each kind of change. A kind that none has is left out. */
export function legend(rollups: Rollup[]): { kind: Kind; mark: string; text: string }[] {
  return changeKinds.flatMap((kind) => {
    const n = changedBy(rollups, kind.name).length;
    const most = ofMost(rollups, kind.name);
    const buckets = `${n}${most ? ` of ${filled(rollups)}` : ""} ${n === 1 ? "bucket" : "buckets"}`;
    const text = `${buckets} ${kind.name}: ${kind.means}.${most ? " The chart has no mark for them." : ""}`;
    return n ? [{ kind, mark: most ? "" : kind.mark, text }] : [];
  });
}

/** changeTexts says of a bucket what changed it, and when. */
export const changeTexts = (r: Rollup, time: (at: string) => string) =>
  changesIn(r).map(({ kind, at }) => `${kind.name} ${time(at)}`);
