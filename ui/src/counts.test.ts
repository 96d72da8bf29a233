import assert from "node:assert/strict";
import { test } from "node:test";
import { addCounts, pageCounts } from "./counts";

const group = (group: string, members: number, silent: number) => ({ group, members, silent });

test("counts of pages add up, the most members first", () => {
  const page = pageCounts({ groups: [group("b", 2, 0), group("c", 1, 1), group("a", 3, 1)] });
  const next = pageCounts({ groups: [group("c", 4, 2), group("a", 2, 0)] });
  assert.deepEqual(
    addCounts([...page, ...next]).map((c) => [c.group, c.members, c.silent]),
    [
      ["a", 5, 1],
      ["c", 5, 3],
      ["b", 2, 0],
    ],
  );
  assert.equal(page[2].members, 3);
  assert.deepEqual(addCounts([]), []);
});

test("members without a group, and those whose group is not known, come last, apart", () => {
  const pages = [
    { groups: [group("a", 1, 0)], membersWithoutGroup: 4, withoutGroup: 2, membersUnknownGroup: 9, unknownGroup: 9 },
    { groups: [], membersWithoutGroup: 1, withoutGroup: 0, membersUnknownGroup: 1, unknownGroup: 0 },
  ];
  assert.deepEqual(addCounts(pages.flatMap(pageCounts)), [
    { group: "a", known: true, members: 1, silent: 0 },
    { group: null, known: true, members: 5, silent: 2 },
    { group: null, known: false, members: 10, silent: 9 },
  ]);
});
