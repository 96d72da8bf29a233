// The ranges of a period, as the API reads them.
import type { Range } from "./period";
import type { Span } from "./report";
import { iso } from "./time";

const fiveMinutes = 300e3;
export const hour = 3600e3;

/** stepAt returns a time in steps of five minutes, so that requests up to now stay the same for a while. */
export const stepAt = (t: number) => Math.floor(t / fiveMinutes) * fiveMinutes;

/** within returns the parameters of a range. */
export const within = ({ from, to }: Range): Record<string, string> => ({
  from: iso(from),
  ...(to !== null && { to: iso(to) }),
});

/** spanOf returns a range with an end: one that ends now ends after the present step. */
export const spanOf = (range: Range, clock: number): Span => ({
  from: range.from,
  to: range.to ?? clock + fiveMinutes,
});
