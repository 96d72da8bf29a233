import assert from "node:assert/strict";
import { test } from "node:test";
import { pointed } from "./pointed";

const times = [0, 10, 20, 30, 40, 50];
const only = (...filled: number[]) => (i: number) => (filled.includes(i) ? 3 : 0);

test("a bucket with events is pointed at where it is the closest", () => {
  assert.equal(pointed(times, only(2, 3), 2, 24, 20), 2);
});

test("an empty bucket gives way to the closest with events within reach", () => {
  assert.equal(pointed(times, only(0, 3), 2, 21, 15), 3);
  assert.equal(pointed(times, only(0, 3), 1, 14, 15), 0);
});

test("an empty bucket is pointed at where none with events is within reach", () => {
  assert.equal(pointed(times, only(5), 2, 21, 15), 2);
  assert.equal(pointed(times, only(), 5, 47, 100), 5);
});
