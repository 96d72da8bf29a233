import assert from "node:assert/strict";
import { test } from "node:test";
import { known, split, unfinished } from "./unfinished";

const starts = [0, 10, 20, 30];

test("the bucket of now is unfinished where the range ends now", () => {
  assert.equal(unfinished(starts, null, 25), 2);
  assert.equal(unfinished(starts, null, 99), 3);
  assert.equal(unfinished(starts, 40, 25), undefined);
  assert.equal(unfinished(starts, null, -1), undefined);
});

test("the line to the unfinished bucket is dashed, and no other", () => {
  assert.deepEqual(split([5, 6, 2, null], 2), { whole: [5, 6, null, null], dashed: [null, 6, 2, null] });
  assert.deepEqual(split([3, null], 0), { whole: [null, null], dashed: [3, null] });
  assert.deepEqual(split([3, 4], undefined), { whole: [3, 4], dashed: [null, null] });
});

test("a bucket of which a part is missing is not known, and not 0", () => {
  const at = (t: number) => new Date(t).toISOString();
  assert.deepEqual(known([1, 0, 3, 4], starts, [{ from: at(5), to: at(20) }]), [null, null, 3, 4]);
  assert.deepEqual(known([1, 2, 3, 4], starts, [{ from: at(35), to: at(36) }]), [1, 2, 3, null]);
  assert.deepEqual(known([1, 2, 3, 4], starts, []), [1, 2, 3, 4]);
});
