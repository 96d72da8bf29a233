import assert from "node:assert/strict";
import { test } from "node:test";
import { verificationText, verifyCommand, wrong, type Verification } from "./verification";
import type { Rollup } from "./api";

const found = (status: string, more: Partial<Verification> = {}): Verification => ({
  status,
  exact: true,
  events: 3,
  late: 0,
  lateEvents: [],
  ...more,
});

test("a bucket that is as its events is said to be so, whatever its other notes", () => {
  assert.equal(
    verificationText(found("equal")),
    "The row has exactly what its events add up to. 3 events are stored.",
  );
  assert.match(verificationText(found("equal", { exact: false })), /marked as inexact/);
  assert.match(verificationText(found("equal", { events: 1, late: 1 })), /1 event is stored\. 1 of them arrived/);
});

test("what differs is named with the events that cause it", () => {
  const text = verificationText(found("differs", { detail: "value: 2, not 3", cause: "not in the row: b" }));
  assert.equal(
    text,
    "The row differs from its events. value: 2, not 3. not in the row: b. 3 events are stored.",
  );
});

test("a row that cannot be recounted is not wrong", () => {
  const all = ["equal", "sealed", "expired", "open", "busy", "pending", "differs", "missing", "extra"];
  assert.deepEqual(
    all.filter((s) => wrong(found(s))),
    ["differs", "missing", "extra"],
  );
  for (const s of all) assert.doesNotMatch(verificationText(found(s)), /The row is (equal|open|busy|pending)/);
});

test("the command verifies the same bucket", () => {
  const bucket = { tier: "hour", bucket: "2026-04-20T14:00:00.000Z", end: "2026-04-20T15:00:00.000Z" } as Rollup;
  assert.equal(
    verifyCommand("devices/Halle 3", bucket),
    "tidemark verify 'devices/Halle 3' --tier hour --from 2026-04-20T14:00:00.000Z --to 2026-04-20T15:00:00.000Z",
  );
});
