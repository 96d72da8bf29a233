import assert from "node:assert/strict";
import { test } from "node:test";
import { addIncreases, pageIncreases } from "./sums";

const sum = (members: number, increase: number, exact = true) => ({ members, increase, exact });

test("increases of pages add up, the greatest first", () => {
  const first = { groups: [{ group: "b", ...sum(2, 7) }, { group: "a", ...sum(1, 5) }] };
  const next = { groups: [{ group: "a", ...sum(3, 4.5, false) }] };
  assert.deepEqual(addIncreases([first, next].flatMap(pageIncreases)), [
    { group: "a", known: true, ...sum(4, 9.5, false) },
    { group: "b", known: true, ...sum(2, 7) },
  ]);
  assert.deepEqual(addIncreases([]), []);
});

test("readings in no group, and readings whose group is not known, come last, apart", () => {
  const pages = [
    { groups: [{ group: "a", ...sum(1, 1) }], unknownGroup: sum(1, 90), withoutGroup: sum(2, 30) },
    { groups: [], withoutGroup: sum(1, 4) },
  ];
  assert.deepEqual(addIncreases(pages.flatMap(pageIncreases)), [
    { group: "a", known: true, ...sum(1, 1) },
    { group: null, known: true, ...sum(3, 34) },
    { group: null, known: false, ...sum(1, 90) },
  ]);
});
