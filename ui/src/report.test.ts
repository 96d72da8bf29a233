import assert from "node:assert/strict";
import { test } from "node:test";
import {
  beforeOf,
  bucketLabel,
  byProperty,
  countedBy,
  dimensionOf,
  figureMetrics,
  property,
  question,
  sharesOf,
  summaries,
} from "./report";
import type { Shares } from "./api";

const top = (values: [string, number][], other = 0): Shares => ({
  values: values.map(([value, count]) => ({ value, count, share: 0 })),
  other,
  exact: other === 0,
});

test("a question names fields as the Stats API does, and ends before the end of its range", () => {
  const filters: [string, string][] = [
    ["path", "/pricing"],
    ["entry", "/"],
    ["country", "DE"],
    [property + "plan", "pro"],
  ];
  const asked = question(
    { site: "x.org", zone: "Asia/Kolkata", filters },
    { from: 0, to: 3600e3 },
    ["visits"],
    [dimensionOf("source")],
    10,
  );
  assert.deepEqual(asked, {
    site_id: "x.org",
    metrics: ["visits"],
    date_range: ["1970-01-01T00:00:00.000Z", "1970-01-01T00:59:59.000Z"],
    dimensions: ["visit:source"],
    filters: [
      ["is", "event:page", ["/pricing"]],
      ["is", "visit:entry_page", ["/"]],
      ["is", "visit:country", ["DE"]],
      ["is", "event:props:plan", ["pro"]],
    ],
    timezone: "Asia/Kolkata",
    pagination: { limit: 10 },
  });
});

test("a figure that is not known, and an average of no visits, is no number", () => {
  const { views, visits } = summaries([3, 7, 2, 3.5, 50, 150], "visitor");
  assert.deepEqual(figureMetrics([]).slice(0, 3), ["visitors", "pageviews", "visits"]);
  assert.equal(figureMetrics([["name", "Buy"]])[1], "events");
  assert.equal(views.distinct!.visitor.count, 3);
  assert.equal(views.events, 7);
  assert.equal(visits.measures.bounce.avg, 0.5);
  assert.equal(visits.measures.duration.avg, 150_000);
  assert.equal(summaries([0, 0, 0, 0, 0, 0], "visitor").visits.measures.bounce.avg, null);
  assert.equal(summaries([0, 0, 2, 0, null, 0], "visitor").visits.measures.bounce.avg, null);
  const unknown = summaries([null, null, null, null, null, null], "visitor");
  assert.deepEqual(
    [unknown.views.distinct!.visitor.count, unknown.views.events, unknown.visits.events],
    [null, null, null],
  );
});

test("properties are counted by their own names, over all events", () => {
  const tops = {
    "props.plan": top([
      ["free", 4],
      ["pro", 3],
      ["pro", 2], // of other events
    ]),
    "props.a?b": top([["1=2", 1]]),
    name: top([["Sign up", 7]]),
  };
  const found = byProperty(tops);
  assert.deepEqual(Object.keys(found), ["event:props:plan", "event:props:a?b"]);
  assert.deepEqual(
    found["event:props:plan"].values.map((v) => [v.value, v.count]),
    [
      ["pro", 5],
      ["free", 4],
    ],
  );
  assert.deepEqual(found["event:props:a?b"].values, [{ value: "1=2", count: 1, share: 1 }]);
  assert.equal(byProperty({ "props.plan": top([["pro", 2]], 5) })["event:props:plan"].more, true);
});

test("a value that was rare before has no change that is known", () => {
  assert.equal(beforeOf("/a", top([["/a", 4]])), 4);
  assert.equal(beforeOf("/b", top([["/a", 4]])), 0);
  assert.equal(beforeOf("/b", top([["/a", 4]], 2)), null);
  assert.equal(beforeOf("/b", undefined), null);
});

test("page views, and events without a property, are no rows of a table of values", () => {
  const report = {
    results: [
      { metrics: [7], dimensions: ["pageview"] },
      { metrics: [5], dimensions: ["(none)"] },
      { metrics: [3], dimensions: ["Sign up"] },
    ],
    meta: { warnings: {}, total_rows: 2 },
  };
  assert.deepEqual(
    sharesOf(report).values.map((v) => v.value),
    ["Sign up"],
  );
});

test("a value whose number is not known is not listed as 0, and is named as one of more", () => {
  const report = {
    results: [
      { metrics: [6], dimensions: ["DE"] },
      { metrics: [null], dimensions: ["XK"] },
    ],
    meta: { warnings: {}, total_rows: 2 },
  };
  const shares = sharesOf(report);
  assert.deepEqual(shares.values, [{ value: "DE", count: 6, share: 1 }]);
  assert.equal(shares.more, true);
  assert.equal(beforeOf("XK", shares), null);
});

test("a filter by custom events counts events", () => {
  assert.equal(countedBy("path", [], false), "pageviews");
  assert.equal(countedBy("source", [], true), "visits");
  assert.equal(countedBy("path", [["name", "Buy"]], false), "events");
});

test("labels of periods are of the reader's zone", () => {
  const t = Date.UTC(2026, 10, 27, 6);
  assert.equal(bucketLabel(t, "hour", true), "2026-11-27 06:00:00");
  assert.equal(bucketLabel(t, "day", true), "2026-11-27");
});
