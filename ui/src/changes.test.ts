import assert from "node:assert/strict";
import { test } from "node:test";
import { changeKinds, changeTexts, changesIn, legend, marked } from "./changes";
import type { Rollup } from "./api";

const bucket = (changed?: Rollup["changed"]) => ({ events: 1, changed }) as Rollup;
const late = { late: "2026-11-26T14:05:00.000Z" };
const both = { ...late, corrected: "2026-11-27T09:00:00.000Z" };

test("a bucket says what changed it and when, and one without changes says nothing", () => {
  assert.deepEqual(
    changeTexts(bucket(both), (at) => at.slice(5, 10)),
    ["late 11-26", "corrected 11-27"],
  );
  assert.deepEqual(changesIn(bucket()), []);
});

test("the legend has the kinds of change that are shown, with the number of their buckets", () => {
  const texts = legend([bucket(), bucket(late), bucket(both)]).map((l) => l.mark + " " + l.text);
  assert.deepEqual(texts, [
    "▼ 2 buckets late: an event arrived after the bucket had closed.",
    "◆ 1 bucket corrected: an event was corrected after the bucket had closed.",
  ]);
  assert.deepEqual(legend([bucket()]), []);
});

test("a change that nearly all buckets have, as after an import, has a sentence and no marks", () => {
  const imported = [bucket(late), bucket(both), bucket(late), { events: 0 } as Rollup];
  assert.deepEqual(marked(imported, "late"), []);
  assert.deepEqual(marked(imported, "corrected"), [imported[1]]);
  assert.equal(
    legend(imported)[0].text,
    "3 of 3 buckets late: an event arrived after the bucket had closed. The chart has no mark for them.",
  );
  assert.deepEqual(marked([...imported, bucket()], "late"), imported.slice(0, 3));
  const open = [...Array.from({ length: 9 }, () => bucket(late)), bucket()];
  assert.deepEqual(marked(open, "late"), []);
});

test("each kind of change has a shape of its own", () =>
  assert.equal(new Set(changeKinds.map((k) => k.mark)).size, changeKinds.length));
