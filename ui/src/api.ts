// The public HTTP API: its responses, and how they are requested.
import { address, refused } from "./access";
import { heard } from "./away";
import { heardAt } from "./clock";
import type { Figures } from "./figures";
import type { Progress } from "./progress";

/** Missing is a part of a range of which it is not known whether it had events. */
export interface Missing {
  from: string;
  to: string;
  reason: string;
}
export interface Share {
  value: string;
  count: number;
  share: number;
}
export interface Shares {
  values: Share[];
  other: number;
  exact: boolean;
  more?: boolean; // there are values that are not listed, of which the number of events is not known
}
export interface Rollup {
  bucket: string;
  end: string;
  tier: string;
  exact: boolean;
  open: boolean;
  truncated: boolean; // the row was too large for all its figures
  unreadable: number; // events that cannot be decoded
  changed?: { late?: string; corrected?: string; recomputed?: string }; // after the bucket had closed
  events: number;
  measures: Record<string, Figures>;
  dimensions?: Record<string, Shares>;
  distinct?: Record<string, { count: number; exact: boolean }>;
}
export interface Rollups {
  rollups: Rollup[];
  next: string | null;
  missing?: Missing[];
}
export interface Partial {
  field: string;
  wholeFrom: string | null;
}
export interface Total extends Rollup, Progress {
  partial?: Partial[];
  missing?: Missing[];
}
export interface Chart extends Progress {
  from: string;
  to: string;
  reason: string;
  wholeFrom: string | null;
  missing?: Missing[];
  segments: { tier: string; from: string; to: string }[];
  rollups: Rollup[];
}
export interface Series {
  kind: string;
  stream: string;
  measures: string[];
  firstSeen: string;
  lastSeen: string;
}
export interface Subject extends Progress {
  subject: string;
  profile: boolean;
  name?: string; // of the profile
  series: Series[];
}
export interface Subjects extends Progress {
  subjects: Subject[];
  next: string | null;
}
export interface Event {
  at: string | null;
  id: string;
  fields: Record<string, unknown>;
  unreadable?: boolean; // the stored event cannot be decoded
  arrivedAt?: string;
  correctedAt?: string;
}
export interface History {
  events: Event[];
  next: string | null;
}
export interface Profile {
  fields: Record<string, unknown>;
}
export interface Alert {
  id: string;
  subject: string;
  kind: string;
  stream?: string;
  rule: string;
  severity: string;
  status: string;
  message: string;
  measure: string;
  at: string;
}

/**
 * How long events or rows of a tier are kept, in seconds; null is for ever. A deferred bucket closes
 * grace seconds after its end.
 */
export interface Tier {
  tier: string;
  retention: number | null;
  deferred: boolean;
  grace: number;
}

/** A goal of sessions: the measure of each step is 1 for the sessions that met it and those before. */
export interface Goal {
  name: string;
  steps: { match: string; measure: string }[];
  value?: string;
}

/** Units of measures by their names. A measure without one is shown as a number alone. */
export type Units = Record<string, string>;

/**
 * A kind of event as the description has it. sessionsOf is the kind whose events its sessions are made
 * of.
 */
export interface Kind {
  kind: string;
  subjects: string;
  path: string;
  tiers: Tier[];
  dimensions: string[];
  pairs?: { name: string; of: [string, string] }[];
  distinct: string[];
  units?: Units;
  sessionsOf?: string;
  groupsOf?: string; // the kind whose events count in its groups
  counters?: string[]; // of members of groups
  goals?: Goal[];
}

/** The part of the OpenAPI description that the pages read. */
export interface API {
  info: { version: string };
  paths: Record<string, object>;
  "x-tidemark-kinds": Kind[];
}

/** A kind with what can be read of its series. */
export interface Readable extends Kind {
  events: boolean;
  latest: boolean;
  alerts: boolean;
}

/** kindsOf returns the kinds that have rollups. */
export function kindsOf(api: API): Readable[] {
  return api["x-tidemark-kinds"]
    .filter((k) => k.tiers.some((t) => t.tier !== raw))
    .map((k) => {
      const series = `/v1/${k.subjects}/{id}/${k.path}`;
      return {
        ...k,
        events: series in api.paths,
        latest: `${series}/latest` in api.paths,
        alerts: `/v1/alerts/${k.subjects}` in api.paths,
      };
    });
}

/** typesOf returns the types of subjects: the kinds' types first, then types that have only profiles. */
export function typesOf(api: API, kinds: Readable[]): string[] {
  const listed = Object.keys(api.paths).map(
    (path) => /^\/v1\/([^/]+)\/\{id\}\/series$/.exec(path)?.[1] ?? "",
  );
  return [...new Set([...kinds.map((k) => k.subjects), ...listed])].filter(Boolean);
}

/** The name of the raw events among the tiers. */
export const raw = "raw";

/** Problem is a response that reports an error, or a request without a response. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** post sends a change to a local stack: tidemark ui is read-only. */
export const post = (path: string, body?: unknown) =>
  request(path, undefined, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

export async function request(
  path: string,
  signal?: AbortSignal,
  options: RequestInit = {},
): Promise<{ tag: string; body: unknown }> {
  let response: Response;
  try {
    // "no-cache" makes the browser revalidate with the entity tag: no change is a 304.
    const [at, headers] = address(path);
    response = await fetch(at, {
      cache: "no-cache",
      signal,
      ...options,
      headers: { ...headers, ...options.headers },
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    heard(false);
    throw new Problem(0, "The API cannot be reached. The page tries again every few seconds.");
  }
  heard(true);
  heardAt(response.headers.get("Date"));
  const text = await response.text();
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    body = {};
  }
  if (!response.ok)
    throw new Problem(
      response.status,
      refused(response.status) ??
        body.detail ??
        body.title ??
        body.message ??
        `The API returned status ${response.status}.`,
    );
  return { tag: response.headers.get("ETag") ?? text, body };
}

/** url joins path parts, escaped, and the parameters that have a value. */
export function url(
  parts: string[],
  params: Record<string, string | undefined> | [string, string | undefined][] = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Array.isArray(params) ? params : Object.entries(params))
    if (value) query.append(name, value);
  const text = query.toString();
  return "/v1/" + parts.map(encodeURIComponent).join("/") + (text && "?" + text);
}
