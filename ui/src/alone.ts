/** alone returns the indexes of values without a value beside them. A line is drawn between two. */
export const alone = (values: (number | null)[]): number[] =>
  values.flatMap((x, i) =>
    x !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : [],
  );
