// The kinds of events by which a subject is a site.
import type { Readable } from "./api";

/**
 * The kinds of a site: views of pages, the visits that they make, events with a name, and days that
 * another program counted.
 */
export interface SiteKinds {
  views: Readable;
  visits: Readable;
  visitor: string;
  named?: Readable;
  imported?: Readable;
}

/** siteKinds finds the kinds by which a type of subject is a site; undefined if it is none. */
export function siteKinds(kinds: Readable[], subjects: string): SiteKinds | undefined {
  const own = kinds.filter((k) => k.subjects === subjects);
  const visits = own.find((k) => k.sessionsOf),
    views = own.find((k) => k.kind === visits?.sessionsOf);
  const visitor = visits?.distinct[0];
  if (!visits || !views || !visitor) return;
  return {
    views,
    visits,
    visitor,
    named: own.find((k) => k !== views && k.dimensions.includes("name")),
    imported: kinds.find((k) => k.kind === "IMPORTEDDAY"),
  };
}
