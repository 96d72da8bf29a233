import assert from "node:assert/strict";
import { test } from "node:test";
import { addIncreases, pageIncreases } from "./sums";

const sum = (members: number, increase: number, exact = true) => ({ members, increase, exact });

test("increases of pages add up, the greatest first", () => {
  const first = { groups: [{ group: "b", ...sum(2, 7) }, { group: "a", ...sum(1, 5) }] };
  const next = { groups: [{ group: "a", ...sum(3, 4.5, false) }] };
  assert.deepEqual(addIncreases([first, next].flatMap(pageIncreases)), [
    { group: "a", rest: "", ...sum(4, 9.5, false) },
    { group: "b", rest: "", ...sum(2, 7) },
  ]);
  assert.deepEqual(addIncreases([]), []);
});

test("a group of first readings has no increase, which is not 0", () => {
  const pages = [{ groups: [{ group: "new", members: 1, exact: true }, { group: "still", ...sum(1, 0) }] }];
  assert.deepEqual(addIncreases(pages.flatMap(pageIncreases)), [
    { group: "still", rest: "", ...sum(1, 0) },
    { group: "new", rest: "", members: 1, exact: true },
  ]);
});

test("what is in no group, of an unknown one, or missing comes last, and no group is exact beside it", () => {
  const pages = [
    { groups: [{ group: "a", ...sum(1, 1) }], unknownGroup: sum(1, 90), withoutGroup: sum(2, 30) },
    { groups: [], withoutGroup: sum(1, 4), missingOf: 3 },
  ];
  assert.deepEqual(addIncreases(pages.flatMap(pageIncreases)), [
    { group: "a", rest: "", ...sum(1, 1, false) },
    { group: "", rest: "in no group", ...sum(3, 34, false) },
    { group: "", rest: "group not known", ...sum(1, 90, false) },
    { group: "", rest: "partly not stored any more", members: 3, exact: false },
  ]);
});
