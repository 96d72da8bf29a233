/**
 * pointed returns the index of the bucket that a reader points at: the closest one, or, if that has no events,
 * the closest within reach that has some. Of a year of hours, each is less than a pixel wide.
 */
export function pointed(
  times: ArrayLike<number>,
  events: (i: number) => number,
  at: number,
  reach: number,
): number {
  const far = (i: number) => Math.abs(times[i] - at);
  let closest = 0,
    best = -1; // with events
  for (let i = 0; i < times.length; i++) {
    if (far(i) < far(closest)) closest = i;
    if (events(i) > 0 && far(i) <= reach && (best < 0 || far(i) < far(best))) best = i;
  }
  return events(closest) > 0 || best < 0 ? closest : best;
}
