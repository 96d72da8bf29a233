// How far the rollups of the table are complete.
import type { Kind } from "./api";

const margin = 600; // seconds: sweeps run each minute, behind a margin of two

/** grace returns how many seconds after their end the slowest kind closes its buckets. */
export const grace = (kinds: Kind[]) =>
  Math.max(0, ...kinds.flatMap((k) => k.tiers.filter((t) => t.deferred).map((t) => t.grace)));

/** What a response says of the changes that it has. */
export interface Progress {
  completeThrough?: string;
  processedThrough?: string;
  unprocessedSince?: string; // while nothing was processed
  unprocessed?: { from: string; to: string; reason: "gap" | "blocked" }[];
}

/** least returns what two responses both have of the changes. */
export function least(a: Progress, b: Progress): Progress {
  const both: Progress = {};
  for (const name of ["completeThrough", "processedThrough", "unprocessedSince"] as const) {
    const times = [a[name], b[name]].filter((t) => t !== undefined);
    if (times.length) both[name] = times.reduce((x, y) => (Date.parse(x) <= Date.parse(y) ? x : y));
  }
  const unprocessed = [...(a.unprocessed ?? []), ...(b.unprocessed ?? [])];
  if (unprocessed.length) both.unprocessed = unprocessed;
  return both;
}

/**
 * isBehind tells whether rows are late, of kinds with that grace, or changes wait for longer than the table
 * stream takes. Of a time that is absent, it is not known.
 */
export const isBehind = (p: Progress | undefined, graceSeconds: number, now: number) =>
  age(p?.completeThrough, now) > graceSeconds + margin ||
  age(p?.processedThrough, now) > margin ||
  age(p?.unprocessedSince, now) > margin;

const age = (at: string | undefined, now: number) => (at ? (now - Date.parse(at)) / 1000 : 0);

/**
 * warnings says which changes may be missing from a response, a sentence each. Parts of the table stream that
 * miss changes of the same time are one sentence.
 */
export function warnings(p: Progress | undefined, now: number, text: (at: string) => string) {
  const all = (p?.unprocessed ?? []).map(
    (u) =>
      `Changes from ${text(u.from)} to ${text(u.to)} may be missing: ` +
      (u.reason === "gap"
        ? "the table stream may have lost them."
        : "a batch of the table stream fails, and later changes may wait for it."),
  );
  if (age(p?.processedThrough, now) > margin)
    all.unshift(`Changes since ${text(p!.processedThrough!)} may not be in these figures yet.`);
  if (age(p?.unprocessedSince, now) > margin)
    all.unshift(`Changes since ${text(p!.unprocessedSince!)} may be missing: none was processed yet.`);
  return [...new Set(all)];
}
