// One format of numbers for charts, tables and readouts: it never hides the digits in which neighbours
// differ.

const leastDigits = 6; // significant digits that every number keeps
const mostDigits = 15; // more are not exact in a floating-point number
const mostDecimals = 12;
const spanParts = 100; // the range shown is resolved into at least as many parts

/** What stands in place of a number that is not known. */
export const none = "–";


/** magnitude returns the power of ten of the first digit of x. */
const magnitude = (x: number) => Math.floor(Math.log10(Math.abs(x)));

const within = (n: number) => Math.max(0, Math.min(mostDecimals, n));

const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.NumberFormat("en-GB", options);
  formats.set(key, made);
  return made;
}

/**
 * decimalsFor returns how many decimals tell apart the values of columns: the decimals of the smallest range of
 * a column, and those in which half of the neighbours differ. One outlier does not hide them.
 */
export function decimalsFor(columns: (number | null | undefined)[][]): number {
  const known = columns.map((c) => c.filter((x): x is number => x !== null && x !== undefined));
  const steps = known
    .flatMap((c) => c.slice(1).map((x, i) => Math.abs(x - c[i])))
    .filter((d) => d > 0)
    .sort((a, b) => a - b);
  if (!steps.length) return 0;
  const finest = Math.min(steps[steps.length >> 1], ...known.map((c) => span(c) / spanParts || Infinity));
  return within(1 - magnitude(finest));
}

/** span returns the difference of the largest and the smallest value. */
const span = (values: number[]) =>
  values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity);

/**
 * numberText returns a number with at least `decimals` decimals where it has them, and never fewer than
 * six significant digits. Whole digits are never cut. Null and undefined are not known, which is not 0.
 */
export function numberText(x: number | null | undefined, decimals = 0): string {
  if (x === null || x === undefined) return none;
  if (x === 0) return "0";
  const size = magnitude(x);
  if (size >= mostDigits || size < -mostDecimals) return powerText(x);
  const wanted = Math.max(decimals, leastDigits - 1 - size);
  return format({ maximumFractionDigits: within(Math.min(wanted, mostDigits - 1 - size)) }).format(x);
}

/** powerText returns a number with a power of ten. */
const powerText = (x: number) =>
  format({ notation: "scientific", maximumSignificantDigits: mostDigits }).format(x);

/** fullText returns all digits of a number, to be shown on demand. */
export const fullText = (x: number | null | undefined) =>
  x === null || x === undefined ? "not known" : String(x);

/**
 * estimateText returns a number that is known within one per cent: three digits behind a sign that
 * says so.
 */
export const estimateText = (x: number | null | undefined) =>
  x === null || x === undefined ? none : "≈ " + format({ maximumSignificantDigits: 3 }).format(x);

/** stepTexts returns the labels of an axis, which are `step` apart: if one has a power of ten, all have. */
export function stepTexts(all: number[], step: number): string[] {
  if (all.some((x) => magnitude(x) >= mostDigits)) return all.map((x) => (x === 0 ? "0" : powerText(x)));
  const decimals = step > 0 ? within(Math.ceil(-Math.log10(step) - 1e-9)) : 0;
  return all.map((x) => numberText(x, decimals));
}
