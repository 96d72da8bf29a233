import assert from "node:assert/strict";
import { test } from "node:test";
import { askedSeries } from "./asked";
import type { Series } from "./api";

const named = (kind: string, stream: string) => ({ kind, stream }) as Series;
const all = [named("METRIC", "cpu"), named("READING", "attic"), named("READING", "hall")];
const asked = (query: string, of = all) => {
  const { chosen, absent } = askedSeries(of, new URLSearchParams(query));
  return [chosen && `${chosen.kind}/${chosen.stream}`, absent];
};

test("an address without a kind shows the first series", () => {
  assert.deepEqual(asked(""), ["METRIC/cpu", undefined]);
  assert.deepEqual(asked("", []), [undefined, undefined]);
});

test("a kind alone is its series without a stream, or its first one", () => {
  assert.deepEqual(asked("kind=READING"), ["READING/attic", undefined]);
  assert.deepEqual(asked("kind=READING", [...all, named("READING", "")]), ["READING/", undefined]);
});

test("a kind and a stream are that series", () => {
  assert.deepEqual(asked("kind=READING&stream=hall"), ["READING/hall", undefined]);
});

test("a series that does not exist is named, beside the one that is shown in its place", () => {
  assert.deepEqual(asked("kind=NOPE"), ["METRIC/cpu", "NOPE"]);
  assert.deepEqual(asked("kind=READING&stream=cellar"), ["METRIC/cpu", "READING · cellar"]);
  assert.deepEqual(asked("kind=READING&stream="), ["METRIC/cpu", "READING"]);
  assert.deepEqual(asked("kind=NOPE", []), [undefined, "NOPE"]);
});
