import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asksRange,
  inputText,
  inputTime,
  lastMonth,
  lastWeek,
  moved,
  rangeIn,
  rangeParams,
  rangeQuery,
  type Range,
} from "./range";

const day = 86400e3;
const now = Date.UTC(2026, 2, 18, 13, 5); // a Wednesday
const iso = (t: number) => new Date(t).toISOString().slice(0, 10);
const ends = (r: Range) => [iso(r.end! - r.length), iso(r.end!)];

test("an address keeps a range", () => {
  for (const range of [
    { length: 7 * day, end: null },
    { length: day, end: now },
  ]) {
    const kept = Object.entries(rangeParams(range)).filter(([, v]) => v !== null) as [string, string][];
    assert.deepEqual(rangeIn(new URLSearchParams(kept)), range);
  }
});

test("a range that is none is left to the page", () => {
  for (const query of [
    "",
    "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
    "last=-1s",
    "last=week",
    "days=x",
  ]) {
    assert.equal(rangeIn(new URLSearchParams(query)), undefined, query);
  }
  assert.deepEqual(rangeIn(new URLSearchParams("days=365")), { length: 365 * day, end: null });
});

test("a range of an address that no chart can show is none, and is known to be asked for", () => {
  const hopeless = [
    "days=1e9",
    "days=Infinity",
    "last=99999999999999999s",
    "from=-200000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
    "from=2026-01-01T00:00:00Z&to=%2B200000-01-01T00:00:00Z",
    "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
    "from=yesterday&to=2026-01-01T00:00:00Z",
  ];
  for (const query of hopeless) {
    assert.equal(rangeIn(new URLSearchParams(query)), undefined, query);
    assert.equal(asksRange(new URLSearchParams(query)), true, query);
  }
  assert.equal(asksRange(new URLSearchParams("m=value&kind=READING")), false);
  assert.ok(rangeIn(new URLSearchParams("from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z")));
});

test("a range that ends now is asked as a length", () => {
  assert.deepEqual(rangeQuery({ length: day, end: null }), { last: "86400s" });
  assert.deepEqual(Object.keys(rangeQuery({ length: day, end: now })), ["from", "to"]);
});

test("last week is from Monday to Sunday, on each day of this one", () => {
  for (let i = -2; i < 5; i++) {
    assert.deepEqual(ends(lastWeek(now + i * day, true)), ["2026-03-09", "2026-03-16"]);
  }
});

test("last month is whole, also at the turn of a year", () => {
  assert.deepEqual(ends(lastMonth(now, true)), ["2026-02-01", "2026-03-01"]);
  assert.deepEqual(ends(lastMonth(Date.UTC(2026, 0, 31), true)), ["2025-12-01", "2026-01-01"]);
});

test("a range moved into the future ends now", () => {
  assert.deepEqual(moved({ length: day, end: now - day / 4 }, 0.5, now), { length: day, end: null });
  assert.deepEqual(moved({ length: day, end: null }, -1, now), { length: day, end: now - day });
});

test("a field of date and time keeps the minute, in both zones", () => {
  for (const utc of [true, false]) assert.equal(inputTime(inputText(now, utc), utc), now);
});
