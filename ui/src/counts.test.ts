import assert from "node:assert/strict";
import { test } from "node:test";
import { addCounts } from "./counts";

test("counts of pages add up, the most members first", () => {
  const page = [
    { group: "b", members: 2, silent: 0 },
    { group: "c", members: 1, silent: 1 },
    { group: "a", members: 3, silent: 1 },
  ];
  const next = [
    { group: "c", members: 4, silent: 2 },
    { group: "a", members: 2, silent: 0 },
  ];
  assert.deepEqual(addCounts([...page, ...next]), [
    { group: "a", members: 5, silent: 1 },
    { group: "c", members: 5, silent: 3 },
    { group: "b", members: 2, silent: 0 },
  ]);
  assert.equal(page[2].members, 3);
  assert.deepEqual(addCounts([]), []);
});
