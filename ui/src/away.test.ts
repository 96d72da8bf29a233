import assert from "node:assert/strict";
import { test } from "node:test";
import { current, heard } from "./away";

test("an absence begins with the first request without a response and ends with the next one", () => {
  heard(true, 1000);
  assert.equal(current(), undefined);
  heard(false, 2000);
  heard(false, 3000);
  assert.deepEqual(current(), { since: 2000, last: 1000 });
  heard(true, 4000);
  assert.equal(current(), undefined);
});
