import assert from "node:assert/strict";
import { test } from "node:test";
import { alone } from "./alone";

test("a value is alone that has none beside it, at the ends too", () => {
  assert.deepEqual(alone([1, null, 0, null, 2, 3, null, 4]), [0, 2, 7]);
  assert.deepEqual(alone([5]), [0]);
  assert.deepEqual(alone([1, 2, null, null]), []);
  assert.deepEqual(alone([]), []);
});
