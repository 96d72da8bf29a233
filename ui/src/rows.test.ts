import assert from "node:assert/strict";
import { test } from "node:test";
import { select, type Asked } from "./rows";
import type { Subject } from "./api";

const now = Date.UTC(2026, 3, 20, 12);
const hour = 3600e3;
const subject = (id: string, ...hoursAgo: number[]): Subject => ({
  subject: id,
  profile: false,
  series: hoursAgo.map((h) => ({
    kind: "READING",
    stream: "",
    measures: [],
    firstSeen: "2026-01-01T00:00:00Z",
    lastSeen: new Date(now - h * hour).toISOString(),
  })),
});
const all = [subject("a", 1), subject("b", 30, 25), subject("c"), subject("d", 48, 2), subject("Boiler", 3)];
const usual: Asked = { search: "", sort: "", silent: 0, alerting: false };
const ids = (asked: Partial<Asked>, alerting = new Map<string, unknown>()) =>
  select(all, { ...usual, ...asked }, alerting, now).map((s) => s.subject);

test("a device that is silent for a day is found, by its newest series", () =>
  assert.deepEqual(ids({ silent: 24 * hour }), ["b", "c"]));

test("one header sorts by the last event, the longest silence first", () => {
  assert.deepEqual(ids({ sort: "oldest" }), ["c", "b", "Boiler", "d", "a"]);
  assert.deepEqual(ids({ sort: "newest" }), ["a", "d", "Boiler", "b", "c"]);
});

test("the search reads any part of an id, in any case", () =>
  assert.deepEqual(ids({ search: " OIL " }), ["Boiler"]));

test("only subjects with open alerts are left", () =>
  assert.deepEqual(ids({ alerting: true }, new Map([["d", 1]])), ["d"]));

test("an order that does not exist keeps the list as it is", () =>
  assert.deepEqual(ids({ sort: "x" }), ids({})));

test("the search reads the name of a profile", () => {
  const named = { ...subject("x17"), profile: true, name: "Hall of the station" };
  const found = select([...all, named], { ...usual, search: "STATION" }, new Map(), now);
  assert.deepEqual(found, [named]);
});
