import assert from "node:assert/strict";
import { test } from "node:test";
import { dashed } from "./shade";

test("the name of a threshold is inside the plot, however an axis aligned its labels", () => {
  Object.assign(globalThis, { devicePixelRatio: 1 });
  const written: unknown[] = [];
  const ignored = () => {};
  const ctx = {
    textAlign: "right",
    textBaseline: "middle",
    save: ignored,
    restore: ignored,
    setLineDash: ignored,
    beginPath: ignored,
    moveTo: ignored,
    lineTo: ignored,
    stroke: ignored,
    fillText: (text: string, x: number) => written.push([text, x > 50, ctx.textAlign, ctx.textBaseline]),
  };
  dashed(ctx as unknown as CanvasRenderingContext2D, 100, { left: 50, width: 400 }, "red", "too-hot");
  assert.deepEqual(written, [["too-hot", true, "left", "alphabetic"]]);
});
