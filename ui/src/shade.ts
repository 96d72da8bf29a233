// Marks of a range of time on a canvas, behind the lines of a plot.
interface Box {
  top: number;
  height: number;
}

export function tint(
  ctx: CanvasRenderingContext2D,
  left: number,
  right: number,
  { top, height }: Box,
  fill: string,
) {
  ctx.fillStyle = fill;
  ctx.fillRect(left, top, right - left, height);
}

export function hatch(
  ctx: CanvasRenderingContext2D,
  left: number,
  right: number,
  { top, height }: Box,
  stroke: string,
) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, height);
  ctx.clip();
  ctx.strokeStyle = stroke;
  ctx.beginPath();
  for (let x = left - height; x < right; x += 10) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

/** mark writes the shape of a change in a row of its own, at the top of a plot. */
export function mark(ctx: CanvasRenderingContext2D, x: number, { top }: Box, row: number, text: string, fill: string) {
  const size = 13 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = fill;
  ctx.font = `${size}px sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.fillText(text, x, top + row * size);
  ctx.restore();
}

/** dashed draws a horizontal line at a height, with its name. */
export function dashed(
  ctx: CanvasRenderingContext2D,
  y: number,
  box: { left: number; width: number },
  stroke: string,
  name: string,
) {
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = stroke;
  ctx.setLineDash([8, 6]);
  ctx.textAlign = "left"; // an axis leaves its own
  ctx.textBaseline = "alphabetic";
  ctx.beginPath();
  ctx.moveTo(box.left, y);
  ctx.lineTo(box.left + box.width, y);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px sans-serif`;
  ctx.fillText(name, box.left + 6 * devicePixelRatio, y - 4 * devicePixelRatio);
  ctx.restore();
}
