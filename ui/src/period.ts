// The periods of a site's page: ranges of whole days or months of the reader's time zone, and the range
// before each.
export type Unit = "minute" | "hour" | "day" | "month";

/** Range is from one time to another, in milliseconds. to is null where the range ends now. */
export interface Range {
  from: number;
  to: number | null;
}

/** Buckets are the starts of all minutes, hours, days or months of a range. */
export interface Period {
  name: string;
  title: string;
  unit: Unit;
  range: Range;
  before: Range;
  buckets: number[];
  bucketsBefore: number[];
  endBefore: number;
}

const minute = 60e3;
export const realtime = "realtime",
  realtimeMinutes = 30;

/**
 * moved returns a time moved by days and months of the zone, at the same time of day. A day of the
 * month that does not exist is its last.
 */
function moved(t: number, utc: boolean, days: number, months = 0): number {
  const at = new Date(t);
  const [y, m, d] = utc
    ? [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
    : [at.getFullYear(), at.getMonth(), at.getDate()];
  const most = new Date(Date.UTC(y, m + months + 1, 0)).getUTCDate(),
    day = (months ? Math.min(d, most) : d) + days;
  if (utc) return Date.UTC(y, m + months, day) + (t % 86400e3);
  return new Date(
    y,
    m + months,
    day,
    at.getHours(),
    at.getMinutes(),
    at.getSeconds(),
    at.getMilliseconds(),
  ).getTime();
}

// A day begins at midnight, or where the clocks skip midnight, after it.
const dayStart = (t: number, utc: boolean) =>
  utc ? Math.floor(t / 86400e3) * 86400e3 : new Date(t).setHours(0, 0, 0, 0);
export const startOf = (t: number, utc: boolean, days: number, months = 0) =>
  dayStart(moved(t, utc, days, months), utc);
export const monthStart = (t: number, utc: boolean, months = 0) =>
  startOf(startOf(t, utc, 1 - (utc ? new Date(t).getUTCDate() : new Date(t).getDate())), utc, 0, months);

interface Row {
  name: string;
  title: string;
  unit: Unit;
  range: (now: number, utc: boolean) => Range;
  days: number;
  months?: number;
}

// days and months say how far back the range before is.
const rows: Row[] = [
  {
    name: realtime,
    title: "Real time",
    unit: "minute",
    range: (now) => ({ from: Math.floor(now / minute) * minute - realtimeMinutes * minute, to: null }),
    days: 1,
  },
  {
    name: "today",
    title: "Today",
    unit: "hour",
    range: (now, utc) => ({ from: dayStart(now, utc), to: null }),
    days: 1,
  },
  {
    name: "yesterday",
    title: "Yesterday",
    unit: "hour",
    range: (now, utc) => ({ from: startOf(now, utc, -1), to: dayStart(now, utc) }),
    days: 1,
  },
  {
    name: "7d",
    title: "7 days",
    unit: "day",
    range: (now, utc) => ({ from: startOf(now, utc, -6), to: null }),
    days: 7,
  },
  {
    name: "30d",
    title: "30 days",
    unit: "day",
    range: (now, utc) => ({ from: startOf(now, utc, -29), to: null }),
    days: 30,
  },
  {
    name: "month",
    title: "This month",
    unit: "day",
    range: (now, utc) => ({ from: monthStart(now, utc), to: null }),
    days: 0,
    months: 1,
  },
  {
    name: "last-month",
    title: "Last month",
    unit: "day",
    range: (now, utc) => ({ from: monthStart(now, utc, -1), to: monthStart(now, utc) }),
    days: 0,
    months: 1,
  },
  {
    name: "12m",
    title: "12 months",
    unit: "month",
    range: (now, utc) => ({ from: monthStart(now, utc, -11), to: null }),
    days: 0,
    months: 12,
  },
];

export const periodNames = rows.map(({ name, title }) => ({ name, title }));
const usual = rows[4];

const next = {
  minute: (t: number) => t + minute,
  hour: (t: number) => t + 60 * minute,
  day: (t: number, utc: boolean) => startOf(t, utc, 1),
  month: (t: number, utc: boolean) => startOf(t, utc, 0, 1),
};

/** periodOf returns the period with a name at a time. Today has all its hours. */
export function periodOf(name: string | null, now: number, utc: boolean): Period {
  const { range, days, months, ...row } = rows.find((r) => r.name === name) ?? usual;
  const of = range(now, utc),
    byClock = row.unit !== "minute"; // a day before the same minute has always 24 hours
  const back = (t: number) => (byClock ? moved(t, utc, -days, -(months ?? 0)) : t - days * 24 * 60 * minute);
  const starts = (from: number, to: number) => {
    const all: number[] = [];
    for (let t = from; t < to; t = next[row.unit](t, utc)) all.push(t);
    return all;
  };
  const to = of.to ?? (byClock ? now + 1 : now), // a day that begins now has begun
    end = row.name === "today" ? startOf(of.from, utc, 1) : to,
    before = { from: byClock ? dayStart(back(of.from), utc) : back(of.from), to: back(to) };
  const bucketsBefore = starts(before.from, back(end));
  return {
    ...row,
    range: of,
    before,
    buckets: starts(of.from, end),
    bucketsBefore,
    endBefore: next[row.unit](bucketsBefore.at(-1)!, utc),
  };
}
