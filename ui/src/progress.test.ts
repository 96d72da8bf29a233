import assert from "node:assert/strict";
import { test } from "node:test";
import { grace, isBehind, warnings } from "./progress";
import type { Kind } from "./api";

const kind = (...tiers: { deferred: boolean; grace: number }[]) => ({ tiers }) as Kind;
const now = Date.UTC(2026, 3, 20, 12);
const before = (seconds: number) => new Date(now - seconds * 1000).toISOString();

test("the slowest deferred kind decides how old a complete time may be", () => {
  assert.equal(grace([kind({ deferred: true, grace: 60 }), kind({ deferred: true, grace: 2400 })]), 2400);
  assert.equal(grace([kind({ deferred: false, grace: 9999 })]), 0);
  assert.equal(grace([]), 0);
});

const through = (completeThrough: string, processedThrough = before(0)) => ({ completeThrough, processedThrough });

test("rows are late behind the grace and a margin, and not before", () => {
  assert.equal(isBehind(through(before(2400 + 599)), 2400, now), false);
  assert.equal(isBehind(through(before(2400 + 601)), 2400, now), true);
});

test("changes are late behind the margin, whatever the grace", () => {
  assert.equal(isBehind(through(before(0), before(599)), 2400, now), false);
  assert.equal(isBehind(through(before(0), before(601)), 2400, now), true);
});

test("what is not known is not called late", () => {
  assert.equal(isBehind(undefined, 0, now), false);
  assert.equal(isBehind({}, 0, now), false);
  assert.equal(isBehind({ unprocessedSince: before(599) }, 0, now), false);
  assert.equal(isBehind({ unprocessedSince: before(601) }, 0, now), true);
});

test("a lag, gaps and blocked batches are named, and nothing else", () => {
  const say = (p: Parameters<typeof warnings>[0]) => warnings(p, now, (at) => at.slice(11, 16));
  assert.deepEqual(say(through(before(0), before(599))), []);
  assert.deepEqual(say(through(before(0), before(660))), [
    "Changes since 11:49 may not be in these figures yet.",
  ]);
  assert.deepEqual(say({ unprocessedSince: before(599) }), []);
  assert.deepEqual(say({ unprocessedSince: before(660) }), [
    "Changes since 11:49 may be missing: none was processed yet.",
  ]);
  const range = { from: before(7200), to: before(3600) };
  const blocked = { ...range, reason: "blocked" as const }; // of two shards of the table stream
  assert.deepEqual(
    say({ unprocessed: [{ ...range, reason: "gap" }, blocked, blocked] }),
    [
      "Changes from 10:00 to 11:00 may be missing: the table stream may have lost them.",
      "Changes from 10:00 to 11:00 may be missing: a batch of the table stream fails, " +
        "and later changes may wait for it.",
    ],
  );
});
