import assert from "node:assert/strict";
import { test } from "node:test";
import { membersCommand, membersQuery, orders, placesText, shortened, shownBucket } from "./ranks";
import type { Rollup } from "./api";

const bucket = (hour: number, events = 1) => {
  const at = (h: number) => `2026-04-20T${String(h).padStart(2, "0")}:00:00.000Z`;
  return { bucket: at(hour), end: at(hour + 1), tier: "hour", events } as Rollup;
};

test("the members of a bucket are asked for by its tier and its ends", () => {
  const range = { tier: "hour", from: "2026-04-20T14:00:00.000Z", to: "2026-04-20T15:00:00.000Z", stream: "" };
  const [highest, lowest] = orders.map((o) => membersQuery(bucket(14), o, ""));
  assert.deepEqual(highest, range);
  assert.deepEqual(lowest, { ...range, statistic: "min", lowest: "true" });
  assert.equal(
    membersCommand("by-site/Halle 3", "temperature", bucket(14), "indoor"),
    "tidemark top 'by-site/Halle 3' --members temperature --tier hour" +
      " --from 2026-04-20T14:00:00.000Z --to 2026-04-20T15:00:00.000Z --stream indoor",
  );
});

test("the chosen bucket is shown, and without a choice the newest with events", () => {
  const all = [bucket(12), bucket(13), bucket(14, 0)];
  assert.equal(shownBucket(all, all[0].bucket), all[0]);
  assert.equal(shownBucket(all, null), all[1]);
  assert.equal(shownBucket(all, "2025-01-01T00:00:00.000Z"), all[1]);
  assert.equal(shownBucket([], null), undefined);
});

test("a list that is not known is not an empty list", () => {
  const list = (n: number) => Array.from({ length: n }, (_, i) => ({ member: "m" + i, value: i }));
  const places = (members: ReturnType<typeof list> | null, known: number) =>
    placesText({ members, places: known, exact: true, open: false });
  assert.match(places(null, 0), /not known/);
  assert.match(places(list(8), 8), /first 8 places/);
  assert.equal(places(list(3), 8), ""); // fewer members than places: these are all
  assert.equal(places(list(10), 10), "");
});

test("an id that was cut names no subject", () => {
  const hash = "#" + "0a".repeat(16);
  assert.ok(shortened("d".repeat(260) + hash));
  assert.ok(!shortened("batch" + hash));
  assert.ok(!shortened("d".repeat(290)));
});
