// Times as the reader chose to see them: in the zone of the browser, or in UTC.
import { currentTime } from "./clock";

export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// Making a format takes far longer than using it, and a table of a year uses two in each row.
const timeIn = (timeZone?: string) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone });
const localTime = timeIn();
const utcTime = timeIn("UTC");

export function timeText(at: string | null, utc: boolean): string {
  return at ? (utc ? utcTime : localTime).format(new Date(at)) : "never";
}

const utcDate = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const wholeDays = ["day", "week", "week-sunday", "month", "quarter"];

/**
 * bucketText names a bucket by its start and end. Days, weeks, months and quarters without a zone are periods of UTC,
 * whatever zone the reader has, and are named by their date.
 */
export function bucketText(
  r: { bucket: string; end: string; tier: string; zone?: string },
  utc: boolean,
): string {
  if (!wholeDays.includes(r.tier) || r.zone) return `${timeText(r.bucket, utc)} to ${timeText(r.end, utc)}`;
  const of = r.tier === "day" ? "day" : `${r.tier.replace("-sunday", "")} from that day`;
  return `${utcDate.format(new Date(r.bucket))}, ${of} of UTC`;
}

/** axisText returns a time in seconds as the label of an axis whose labels are `step` seconds apart. */
export function axisText(seconds: number, step: number, utc: boolean): string {
  const at = new Date(seconds * 1000),
    timeZone = utc ? "UTC" : undefined;
  const text = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(at);
  if (step >= 86400 * 28) return text({ month: "short", year: "numeric" });
  const clock = text({ hour: "2-digit", minute: "2-digit" });
  return step >= 86400 || clock === "00:00" ? text({ day: "numeric", month: "short" }) : clock;
}

/** ago returns how long a time lies back, in the largest whole unit. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  for (const [size, name] of [
    [86400 * 365, "y"],
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
  ] as const) {
    const n = Math.floor(seconds / size);
    if (n > 0) return `${n} ${name} ago`;
  }
  return "just now";
}

export const iso = (t: number) => new Date(t).toISOString();

const text = (x: number, options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat("en-GB", options).format(x);

export const countText = (x: number | null) =>
  x === null
    ? "–"
    : x < 100_000
      ? text(x, { maximumFractionDigits: 0 })
      : text(x, { notation: "compact", maximumSignificantDigits: 4 });
export const tenthsText = (x: number | null) => (x === null ? "–" : text(x, { maximumFractionDigits: 1 }));
export const percentText = (x: number | null) =>
  x === null ? "–" : text(x, { style: "percent", maximumFractionDigits: x > 0 && x < 0.01 ? 1 : 0 });

/** moneyText returns dollars, to the cent. */
export const moneyText = (x: number) =>
  x < 0.01
    ? "less than $0.01"
    : "about " +
      new Intl.NumberFormat("en-GB", {
        style: "currency",
        currency: "USD",
        currencyDisplay: "narrowSymbol",
      }).format(x);

/** durationText returns seconds as 1 h 5 min, 2 min 13 s or 9 s. */
export function durationText(x: number | null): string {
  if (x === null) return "–";
  const s = Math.round(x),
    parts: [number, string][] = [
      [Math.floor(s / 3600), "h"],
      [Math.floor(s / 60) % 60, "min"],
      [s % 60, "s"],
    ];
  const first = parts.findIndex(([n]) => n > 0);
  return first < 0
    ? "0 s"
    : parts
        .slice(first, first + 2)
        .filter(([n]) => n > 0)
        .map(([n, unit]) => `${n} ${unit}`)
        .join(" ");
}

/**
 * dayText returns the day of a time, and with clock its hour and minute. A day of another year has its
 * year.
 */
export function dayText(t: number, utc: boolean, clock = false): string {
  const thisYear = new Date(t).getFullYear() === new Date(currentTime()).getFullYear();
  return new Intl.DateTimeFormat("en-GB", {
    ...(thisYear ? { weekday: "short" } : { year: "numeric" }),
    day: "numeric",
    month: "short",
    ...(clock && { hour: "2-digit", minute: "2-digit" }),
    timeZone: utc ? "UTC" : undefined,
  }).format(new Date(t));
}

export const monthText = (t: number, utc: boolean) =>
  new Intl.DateTimeFormat("en-GB", {
    month: "long",
    year: "numeric",
    timeZone: utc ? "UTC" : undefined,
  }).format(new Date(t));
