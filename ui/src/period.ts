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

const day = 24 * 60 * minute;
const mostOfHours = 8,
  mostDays = 400; // days in a chart of hours, and of days

/** datesOf reads the first and the last date of a period that a reader chose: 2026-10-05..2026-10-11. */
export const datesOf = (name: string | null) =>
  /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(name ?? "")?.slice(1) as [string, string] | undefined;

/**
 * chosen returns the period from one date to another; undefined if the dates name none. A long one has whole
 * months.
 */
function chosen(name: string | null, now: number, utc: boolean): Row | undefined {
  const dates = datesOf(name)?.map((d) => Date.parse(d + (utc ? "T00:00:00Z" : "T00:00:00")));
  if (!dates || dates.some(isNaN)) return;
  let from = dayStart(dates[0], utc),
    after = startOf(dates[1], utc, 1);
  if (from >= after || from > now) return;
  const long = after - from > mostDays * day;
  if (long) [from, after] = [monthStart(from, utc), monthStart(after - 1, utc, 1)];
  const to = after > now ? null : after;
  const days = Math.round(((to ?? startOf(now, utc, 1)) - from) / day);
  return {
    name: name!,
    title: name!,
    unit: long ? "month" : days > 1 ? "day" : "hour",
    range: () => ({ from, to }),
    days,
  };
}

/** dateText returns the date of a time, as datesOf reads it. */
export const dateText = (t: number, utc: boolean) =>
  new Date(utc ? t : t - new Date(t).getTimezoneOffset() * minute).toISOString().slice(0, 10);

/** The units in which a period may be drawn: neither too few buckets nor too many. */
export function unitsOf({ range, unit }: Period, now: number, utc: boolean): Unit[] {
  const days = ((range.to ?? now) - range.from) / day,
    months = range.from === monthStart(range.from, utc) && days > 32;
  if (unit === "minute") return [unit];
  const fits: Partial<Record<Unit, boolean>> = {
    hour: days <= mostOfHours,
    day: days > 1.1 && days <= mostDays,
    month: months,
  };
  return (["hour", "day", "month"] as const).filter((u) => fits[u]);
}

/** beside returns the name of the period of as many days before (-1) or after (1) a period. */
export function beside(p: Period, way: -1 | 1, now: number, utc: boolean): string | null {
  const end = p.range.to ?? startOf(now, utc, 1);
  const days = Math.round((end - p.range.from) / day);
  const [from, to] = [startOf(p.range.from, utc, way * days), startOf(end, utc, way * days - 1)];
  return from > now ? null : `${dateText(from, utc)}..${dateText(to, utc)}`;
}

const next = {
  minute: (t: number) => t + minute,
  hour: (t: number) => t + 60 * minute,
  day: (t: number, utc: boolean) => startOf(t, utc, 1),
  month: (t: number, utc: boolean) => startOf(t, utc, 0, 1),
};

/**
 * periodOf returns the period with a name at a time, drawn by a unit if it can be. Today has all its
 * hours.
 */
export function periodOf(name: string | null, now: number, utc: boolean, by?: string | null): Period {
  const usually = cut(name, now, utc);
  const unit = unitsOf(usually, now, utc).find((u) => u === by);
  return unit && unit !== usually.unit ? cut(name, now, utc, unit) : usually;
}

/** cut returns a period with its buckets. */
function cut(name: string | null, now: number, utc: boolean, by?: Unit): Period {
  const { range, days, months, ...row } =
    rows.find((r) => r.name === name) ?? chosen(name, now, utc) ?? usual;
  row.unit = by ?? row.unit;
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
