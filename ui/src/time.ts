// Times as the reader chose to see them: in the zone of the browser, or in UTC.
export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function timeText(at: string | null, utc: boolean): string {
  if (!at) return "never";
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium", timeStyle: "medium", timeZone: utc ? "UTC" : undefined,
  }).format(new Date(at));
}

/** axisText returns a time in seconds as the label of an axis whose labels are `step` seconds apart. */
export function axisText(seconds: number, step: number, utc: boolean): string {
  const at = new Date(seconds * 1000), timeZone = utc ? "UTC" : undefined;
  const text = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(at);
  if (step >= 86400 * 28) return text({ month: "short", year: "numeric" });
  const clock = text({ hour: "2-digit", minute: "2-digit" });
  return step >= 86400 || clock === "00:00" ? text({ day: "numeric", month: "short" }) : clock;
}

/** ago returns how long a time lies back, in the largest whole unit. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  for (const [size, name] of [[86400 * 365, "year"], [86400, "day"], [3600, "hour"], [60, "minute"]] as const) {
    const n = Math.floor(seconds / size);
    if (n > 0) return `${n} ${name}${n > 1 ? "s" : ""} ago`;
  }
  return "just now";
}

export function numberText(x: number | null | undefined): string {
  return x === null || x === undefined ? "–" : new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 6 }).format(x);
}
