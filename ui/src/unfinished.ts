// The bucket that has not ended: a line to it is dashed, because it is not whole.
type Values = (number | null)[];

/**
 * unfinished returns the index of the bucket that has begun and not ended, undefined if the range has
 * none.
 */
export function unfinished(starts: number[], end: number | null, now: number): number | undefined {
  if (end !== null) return;
  const at = starts.findLastIndex((t) => t <= now);
  return at < 0 ? undefined : at;
}

/** split returns the whole buckets, and a line from the last of them to the unfinished one. */
export function split(values: Values, at: number | undefined): { whole: Values; dashed: Values } {
  if (at === undefined) return { whole: values, dashed: values.map(() => null) };
  return {
    whole: values.map((x, i) => (i < at ? x : null)),
    dashed: values.map((x, i) => (i === at || i === at - 1 ? x : null)),
  };
}

/**
 * known returns values without the buckets of which a part is not known: a bar that is too short looks
 * like any other.
 */
export function known(values: Values, starts: number[], missing: { from: string; to: string }[]): Values {
  if (!missing.length) return values;
  const parts = missing.map((m) => [Date.parse(m.from), Date.parse(m.to)]);
  return values.map((x, i) => {
    const [from, to] = [starts[i], starts[i + 1] ?? Infinity];
    return parts.some(([a, b]) => a < to && from < b) ? null : x;
  });
}
