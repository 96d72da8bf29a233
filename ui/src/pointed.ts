/**
 * pointed returns the index of the bucket that a reader points at: the closest one, or, if that has no events,
 * the closest within reach that has some. Of a year of hours, each is less than a pixel wide.
 */
export function pointed(
  times: ArrayLike<number>,
  events: (i: number) => number,
  closest: number,
  at: number,
  reach: number,
): number {
  if (events(closest) > 0) return closest;
  const far = (i: number) => Math.abs(times[i] - at);
  let best = closest;
  for (let i = 0; i < times.length; i++) {
    if (events(i) > 0 && far(i) <= reach && (best === closest || far(i) < far(best))) best = i;
  }
  return best;
}
