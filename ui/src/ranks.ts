// Which members of a group are first in a bucket, as the API returns them and as a page says it.
import type { Missing, Rollup } from "./api";
import { quoted } from "./command";

/** Members are the first members of a group; null if it is not known which they are. */
export interface Members {
  members: { member: string; value: number }[] | null;
  places: number; // that are known: the whole list, or fewer after a purge
  exact: boolean;
  open: boolean;
  missing?: Missing[];
}

/** A list of members: the statistic by which they are ordered. */
export interface Order {
  title: string;
  lowest: boolean;
}

export const orders: Order[] = [
  { title: "Highest", lowest: false },
  { title: "Lowest", lowest: true },
];

const mostPlaces = 10;

/** membersQuery returns what to ask the API for the members of one bucket. */
export const membersQuery = (bucket: Rollup, order: Order, stream: string): Record<string, string> => ({
  tier: bucket.tier,
  from: bucket.bucket,
  to: bucket.end,
  stream,
  ...(order.lowest && { statistic: "min", lowest: "true" }),
});

/** membersCommand returns the command line that prints the members of one bucket. */
export const membersCommand = (group: string, measure: string, bucket: Rollup, stream: string) =>
  [
    ["tidemark", "top", group, "--members", measure, "--tier", bucket.tier],
    ["--from", bucket.bucket, "--to", bucket.end, ...(stream && ["--stream", stream])],
  ]
    .flat()
    .map(quoted)
    .join(" ");

/** placesText says what is not known of a list; "" if all of it is. */
export function placesText({ members, places }: Members): string {
  if (!members) return "The members are not known: the row is from before there were lists, or had no space.";
  if (places < mostPlaces && members.length >= places)
    return `Only the first ${places} places are known, because members were purged.`;
  return "";
}

/** shownBucket is the chosen bucket of a chart, or the newest one with events. */
export const shownBucket = (rollups: Rollup[], at: string | null): Rollup | undefined =>
  rollups.find((r) => r.bucket === at) ?? rollups.findLast((r) => r.events > 0);

const hashed = /#[0-9a-f]{32}$/;
const leastCut = 250; // bytes of an id that is shortened, and its hash

/** shortened is whether a list has the beginning of a long id, and a hash: it names no subject. */
export const shortened = (member: string) =>
  new TextEncoder().encode(member).length > leastCut && hashed.test(member);
