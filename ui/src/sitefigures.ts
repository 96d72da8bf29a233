// The figures of a site: where each is read from, and how it is printed.
import type { Summary } from "./report";
import { countText, durationText, percentText, tenthsText } from "./time";

/** A figure of a site, as a card and a curve show it. */
export interface Figure {
  title: string;
  of: "views" | "visits";
  value: (r: Summary, visitor: string) => number | null;
  text: (x: number | null) => string;
  gaps?: boolean;
  estimate?: (r: Summary, visitor: string) => boolean; // within a few per cent
}

// gaps: a time without visits has no value, instead of zero.
export const figures: Figure[] = [
  {
    title: "Visitors",
    of: "views",
    value: (r, visitor) => (r.distinct?.[visitor] ?? { count: 0 }).count,
    estimate: (r, visitor) => r.distinct?.[visitor]?.exact === false,
    text: countText,
  },
  { title: "Views", of: "views", value: (r) => r.events, text: countText },
  { title: "Visits", of: "visits", value: (r) => r.events, text: countText },
  {
    title: "Views per visit",
    of: "visits",
    value: (r) => r.measures.views?.avg ?? null,
    text: tenthsText,
    gaps: true,
  },
  {
    title: "Bounce rate",
    of: "visits",
    value: (r) => r.measures.bounce?.avg ?? null,
    text: percentText,
    gaps: true,
  },
  {
    title: "Duration",
    of: "visits",
    value: (r) => ((r.measures.duration?.avg ?? null) === null ? null : r.measures.duration.avg! / 1000),
    text: durationText,
    gaps: true,
  },
];
