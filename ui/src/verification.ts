// What a recount of one bucket found, in words.
import { numberText } from "./number";
import { quoted } from "./command";
import type { Rollup } from "./api";

/** A bucket that the API recounted from its events. */
export interface Verification {
  status: string;
  exact: boolean;
  events: number; // that are stored
  detail?: string; // what differs
  cause?: string; // the events that cause it
  late: number; // events that arrived after the bucket had closed
  lateEvents: { at: string; id: string; arrivedAt: string }[];
}

const statuses: Record<string, string> = {
  equal: "The row has exactly what its events add up to.",
  sealed: "Some of its events have expired, so that it cannot be recounted. The row is as it was before.",
  expired: "There is no row, and one may have expired.",
  open: "The bucket has not closed: its figures are computed from the events as you read.",
  busy: "The bucket changed whenever it was read. Verify it again.",
  pending: "The bucket has new events that are not processed yet.",
  differs: "The row differs from its events.",
  missing: "There are events, and no row.",
  extra: "There is a row, and no event.",
};

/** wrong is whether a recount found a row that should be recomputed. */
export const wrong = ({ status }: Verification) => ["differs", "missing", "extra"].includes(status);

/** verificationText says what a recount found, and of how many events. */
export function verificationText(v: Verification): string {
  const parts = [statuses[v.status] ?? `The row is ${v.status}.`];
  if (v.detail) parts.push(v.detail + ".");
  if (v.cause) parts.push(v.cause + ".");
  if (!v.exact && v.status === "equal")
    parts.push("It is marked as inexact: a change arrived when its events had expired.");
  parts.push(`${numberText(v.events)} ${v.events === 1 ? "event is" : "events are"} stored.`);
  if (v.late) parts.push(`${numberText(v.late)} of them arrived after the bucket had closed.`);
  return parts.join(" ");
}

/** verifyCommand returns the command line that verifies a bucket, and those around it. */
export const verifyCommand = (subject: string, bucket: Rollup) =>
  ["tidemark", "verify", subject, "--tier", bucket.tier, "--from", bucket.bucket, "--to", bucket.end]
    .map(quoted)
    .join(" ");
