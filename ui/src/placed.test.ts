import assert from "node:assert/strict";
import { test } from "node:test";
import { reportedIn, summariesIn } from "./placed";
import type { Rollup } from "./api";
import type { Report } from "./report";

const hour = 3600e3,
  start = Date.parse("2026-04-20T22:00:00Z");
const buckets = [0, 1, 2, 3].map((n) => start + n * hour);
const rollup = (minutes: number, events: number) =>
  ({ bucket: new Date(start + minutes * 60e3).toISOString(), events }) as Rollup;

test("a rollup is in the bucket that it begins in, and a bucket without one is empty", () => {
  const found = summariesIn(buckets, [rollup(0, 1), rollup(125, 2)]);
  assert.deepEqual(
    buckets.map((_, i) => found[i]?.events),
    [1, undefined, 2, undefined],
  );
});

test("what begins before the first bucket is in none", () => {
  assert.deepEqual(
    buckets.map((_, i) => summariesIn(buckets, [rollup(-1, 9)])[i]),
    buckets.map(() => undefined),
  );
});

test("the rows of a report are found by the labels of buckets", () => {
  const label = (t: number) => new Date(t).toISOString().slice(0, 13);
  const report = {
    results: [{ dimensions: [label(buckets[2])], metrics: [5, 9, 4, 2, 50, 60] }],
  } as unknown as Report;
  const found = reportedIn(buckets, report, label, "views", "visitor");
  assert.deepEqual(Object.keys(found), ["2"]);
  assert.deepEqual(Object.keys(reportedIn(buckets, undefined, label, "views", "visitor")), []);
});
