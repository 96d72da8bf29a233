// The public HTTP API: its responses, and a hook that keeps a response up to date.
import { useEffect, useState } from "preact/hooks";
import { address, refused } from "./access";

export type Figures = Record<"count" | "sum" | "min" | "max" | "avg" | "p50" | "p95" | "p99", number | null>;
export interface Share { value: string; count: number; share: number }
export interface Shares { values: Share[]; other: number; exact: boolean }
export interface Rollup {
  bucket: string; end: string; tier: string; exact: boolean; open: boolean; events: number;
  measures: Record<string, Figures>; dimensions?: Record<string, Shares>; distinct?: Record<string, { count: number; exact: boolean }>;
}
export interface Rollups { rollups: Rollup[]; next: string | null }
export interface Partial { field: string; wholeFrom: string | null }
export interface Total extends Rollup { partial?: Partial[]; missing?: { from: string; to: string }[]; completeThrough?: string }
export interface Chart {
  from: string; to: string; reason: string; wholeFrom: string | null; completeThrough?: string;
  segments: { tier: string; from: string; to: string }[]; rollups: Rollup[];
}
export interface Series { kind: string; stream: string; measures: string[]; firstSeen: string; lastSeen: string }
export interface Subject { subject: string; profile: boolean; series: Series[] }
export interface Subjects { subjects: Subject[]; next: string | null }
export interface Event { at: string | null; id: string; fields: Record<string, unknown> }
export interface History { events: Event[]; next: string | null }
export interface Profile { fields: Record<string, unknown> }
export interface Alert {
  id: string; subject: string; kind: string; stream?: string; rule: string; severity: string; status: string;
  message: string; measure: string; at: string;
}
export interface Alerts { alerts: Alert[]; next: string | null }

/** How long events or rows of a tier are kept, in seconds; null is for ever. A deferred bucket closes grace seconds after its end. */
export interface Tier { tier: string; retention: number | null; deferred: boolean; grace: number }

/** A goal of sessions: the measure of each step is 1 for the sessions that met it and those before. */
export interface Goal { name: string; steps: { match: string; measure: string }[]; value?: string }

/** A kind of event as the description has it. sessionsOf is the kind whose events its sessions are made of. */
export interface Kind { kind: string; subjects: string; path: string; tiers: Tier[]; dimensions: string[]; distinct: string[]; sessionsOf?: string; goals?: Goal[] }

/** The part of the OpenAPI description that the pages read. */
export interface API { info: { version: string }; paths: Record<string, object>; "x-tidemark-kinds": Kind[] }

/** A kind with what can be read of its series. */
export interface Readable extends Kind { events: boolean; latest: boolean; alerts: boolean }

/** kindsOf returns the kinds that have rollups. */
export function kindsOf(api: API): Readable[] {
  return api["x-tidemark-kinds"].filter((k) => k.tiers.some((t) => t.tier !== raw)).map((k) => {
    const series = `/v1/${k.subjects}/{id}/${k.path}`;
    return { ...k, events: series in api.paths, latest: `${series}/latest` in api.paths, alerts: `/v1/alerts/${k.subjects}` in api.paths };
  });
}

/** typesOf returns the types of subjects: those of the kinds first, then those that have only profiles. */
export function typesOf(api: API, kinds: Readable[]): string[] {
  const listed = Object.keys(api.paths).map((path) => /^\/v1\/([^/]+)\/\{id\}\/series$/.exec(path)?.[1] ?? "");
  return [...new Set([...kinds.map((k) => k.subjects), ...listed])].filter(Boolean);
}

/** The name of the raw events among the tiers. */
export const raw = "raw";

/** Problem is a response that reports an error, or a request without a response. */
export class Problem extends Error {
  constructor(readonly status: number, message: string) { super(message); }
}

/** post sends a change to a local stack: tidemark ui is read-only. */
export const post = (path: string, body?: unknown) =>
  request(path, undefined, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export async function request(path: string, signal?: AbortSignal, options: RequestInit = {}): Promise<{ tag: string; body: unknown }> {
  let response: Response;
  try {
    // "no-cache" makes the browser revalidate with the entity tag: no change is a 304.
    const [at, headers] = address(path);
    response = await fetch(at, { cache: "no-cache", signal, ...options, headers: { ...headers, ...options.headers } });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Problem(0, "The API cannot be reached. The page tries again every few seconds.");
  }
  const text = await response.text();
  let body: any;
  try { body = JSON.parse(text); } catch { body = {}; }
  if (!response.ok) throw new Problem(response.status, refused(response.status) ?? body.detail ?? body.title ?? body.message ?? `The API returned status ${response.status}.`);
  return { tag: response.headers.get("ETag") ?? text, body };
}

/** Readers of paths of subjects, which read again when their subject has changed. */
const readers = new Map<() => void, string>();

/** follow reads at once what a local stack says has changed. Without it, and if it ends, the readers keep to their intervals. */
export function follow() {
  new EventSource("/local/changes").onmessage = ({ data }) => {
    const [subjects, ...id] = (JSON.parse(data) as string).split("/"), changed = url([subjects, id.join("/")]);
    for (const [read, path] of readers) if (path.startsWith(changed) && /^[/?]|^$/.test(path.slice(changed.length))) read();
  };
}

export interface Polled<T> { path: string; data?: T; problem?: Problem }

/**
 * usePolled reads a path, and again every `every` milliseconds while the page is visible. The
 * value changes only if the entity tag does. null reads nothing. After a failure the last data
 * stays, next to the problem, and the path is read again after five seconds at most.
 */
export function usePolled<T>(path: string | null, every = 5000): Polled<T> {
  const [state, setState] = useState<Polled<T>>({ path: "" });
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    let timer = 0, tag = "", busy = false, again = false;
    const read = async () => {
      if (busy) { again = true; return; }
      clearTimeout(timer);
      [busy, again] = [true, false];
      let pause = every;
      try {
        if (!document.hidden || !tag) {
          const got = await request(path, stop.signal);
          if (got.tag !== tag) { tag = got.tag; setState({ path, data: got.body as T }); }
        }
      } catch (cause) {
        if (stop.signal.aborted) return;
        tag = "";
        pause = Math.min(every, 5000);
        const problem = cause instanceof Problem ? cause : new Problem(0, String(cause));
        setState((old) => ({ path, data: old.path === path ? old.data : undefined, problem }));
      }
      busy = false;
      if (stop.signal.aborted) return;
      timer = window.setTimeout(read, again ? 100 : pause);
    };
    readers.set(read, path);
    read();
    return () => { readers.delete(read); stop.abort(); clearTimeout(timer); };
  }, [path, every]);
  return path !== null && state.path === path ? state : { path: path ?? "" };
}

export interface Listed { subjects: Subject[]; whole: boolean; more: boolean; problem?: Problem }

const pageSize = "1000", maxPages = 100; // 100,000 series

/** readSubjects reads the list page by page. A page counts series, so a subject can begin on one page and end on the next. */
async function readSubjects(type: string, signal: AbortSignal, page: (listed: Listed) => void): Promise<Listed> {
  const found = new Map<string, Subject>();
  let cursor: string | undefined;
  for (let n = 0; n < maxPages; n++) {
    const { subjects, next } = (await request(url([type], { limit: pageSize, cursor }), signal)).body as Subjects;
    for (const s of subjects) {
      const begun = found.get(s.subject);
      found.set(s.subject, begun ? { ...begun, series: [...begun.series, ...s.series] } : s);
    }
    if (!next) return { subjects: [...found.values()], whole: true, more: false };
    cursor = next;
    page({ subjects: [...found.values()], whole: false, more: false });
  }
  return { subjects: [...found.values()], whole: true, more: true };
}

/** useSubjects reads all subjects of a type, and again every `every` milliseconds while the page is visible. */
export function useSubjects(type: string, every = 30_000): Listed {
  const [listed, setListed] = useState<Listed>({ subjects: [], whole: false, more: false });
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0, first = true;
    const read = async () => {
      let pause = every;
      try {
        if (first || !document.hidden) {
          setListed(await readSubjects(type, stop.signal, (page) => { if (first) setListed(page); }));
          first = false;
        }
      } catch (cause) {
        if (stop.signal.aborted) return;
        const problem = cause instanceof Problem ? cause : new Problem(0, String(cause));
        setListed((old) => ({ ...old, problem }));
        pause = 5000;
      }
      if (!stop.signal.aborted) timer = window.setTimeout(read, pause);
    };
    read();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [type, every]);
  return listed;
}

/** url joins path parts, escaped, and the parameters that have a value. */
export function url(parts: string[], params: Record<string, string | undefined> | [string, string | undefined][] = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Array.isArray(params) ? params : Object.entries(params)) if (value) query.append(name, value);
  const text = query.toString();
  return "/v1/" + parts.map(encodeURIComponent).join("/") + (text && "?" + text);
}
