// The dates of a period: fields to choose them, the period before and the one after.
import { change } from "./address";
import { beside, dateText, datesOf, unitsOf, type Period } from "./period";

const unitNames: Record<string, string> = { hour: "Hours", day: "Days", month: "Months" };

/** Dates chooses a period of one's own, the one before and the one after, and how the chart is cut. */
export function Dates({ period, clock, utc }: { period: Period; clock: number; utc: boolean }) {
  if (period.unit === "minute") return null;
  const [first, last] = datesOf(period.name) ?? [
    dateText(period.range.from, utc),
    dateText((period.range.to ?? clock + 1) - 1, utc),
  ];
  const go = (name: string | null) => datesOf(name) && change({ period: name });
  const later = beside(period, 1, clock, utc);
  const units = unitsOf(period, clock, utc);
  return (
    <div class="bar">
      <label>
        from{" "}
        <input
          type="date"
          value={first}
          max={last}
          onChange={(e) => go(`${e.currentTarget.value}..${last}`)}
          onBlur={(e) => (e.currentTarget.value = first)}
        />
      </label>
      <label>
        to{" "}
        <input
          type="date"
          value={last}
          min={first}
          onChange={(e) => go(`${first}..${e.currentTarget.value}`)}
          onBlur={(e) => (e.currentTarget.value = last)}
        />
      </label>
      <button aria-label="The period before" onClick={() => go(beside(period, -1, clock, utc))}>
        ←
      </button>
      <button aria-label="The period after" disabled={!later} onClick={() => go(later)}>
        →
      </button>
      {units.length > 1 && (
        <label>
          by{" "}
          <select value={period.unit} onChange={(e) => change({ by: e.currentTarget.value })}>
            {units.map((u) => (
              <option value={u}>{unitNames[u]}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
