// What must be known of the figures of a site.
import type { Problem, Total } from "./api";
import { exactFor, NotKnown, NotProcessed } from "./chartview";
import { realtime, type Period } from "./period";
import { dayText } from "./time";

interface Props {
  period: Period;
  utc: boolean;
  total?: Total;
  filtered: boolean;
  warnings: Record<string, string>; // of the Stats API
  before?: Problem; // why the period before could not be counted
}

/** Facts says what the figures are compared with, and what they lack. */
export function Facts({ period, utc, total, filtered, warnings, before }: Props) {
  const clock = period.unit === "minute" || period.unit === "hour";
  const dates = `${dayText(period.before.from, utc, clock)} to ${dayText(period.before.to!, utc, true)}`;
  return (
    <p class="facts">
      {before ? (
        <span title={before.message}>Not compared: {dates} could not be counted. </span>
      ) : (
        `Compared with ${dates}. `
      )}
      {filtered && "Under a filter, figures are counted from the events, while these are stored. "}
      {[...new Set(Object.values(warnings))].map((w) => (
        <span key={w}>{w.slice(0, 1).toUpperCase() + w.slice(1)}. </span>
      ))}
      <NotKnown missing={total?.missing ?? []} utc={utc} />
      <NotProcessed of={total} utc={utc} />
      {total?.exact && "Every bucket is exact" + exactFor(total)}
      {total &&
        !total.exact &&
        !total.missing?.length &&
        "Some buckets are inexact: a change arrived too late to be included. "}
      {total &&
        !Object.values(total.distinct ?? {}).every((d) => d.exact) &&
        "The number of visitors is an estimate, within a few per cent. "}
      {period.name === realtime && !filtered && "Visits need a longer period. "}
    </p>
  );
}
