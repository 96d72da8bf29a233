// What must be known of the figures of a site.
import type { Total } from "./api";
import { NotKnown, NotProcessed } from "./chartview";
import { realtime, type Period } from "./period";
import { dayText } from "./time";

interface Props {
  period: Period;
  utc: boolean;
  total?: Total;
  filtered: boolean;
  warnings: Record<string, string>; // of the Stats API
}

/** Facts says what the figures are compared with, and what they lack. */
export function Facts({ period, utc, total, filtered, warnings }: Props) {
  const clock = period.unit === "minute" || period.unit === "hour";
  return (
    <p class="facts">
      Compared with {dayText(period.before.from, utc, clock)} to {dayText(period.before.to!, utc, true)}.{" "}
      {filtered && "Under a filter, figures are counted from the events, while these are stored. "}
      {[...new Set(Object.values(warnings))].map((w) => (
        <span key={w}>{w}. </span>
      ))}
      <NotKnown missing={total?.missing ?? []} utc={utc} />
      <NotProcessed of={total} utc={utc} />
      {total?.exact && "Every bucket is exact. "}
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
