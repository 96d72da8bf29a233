// Hooks that keep a response up to date.
import { useEffect, useState } from "preact/hooks";
import { Problem, request, url } from "./api";
import { readPages, type Items, type Pages } from "./pages";
import type { Question, Report } from "./report";

/** Readers of paths of subjects, which read again when their subject has changed. */
const readers = new Map<() => void, string>();

/**
 * follow reads at once what a local stack says has changed. Without it, and if it ends, the readers
 * keep to their intervals.
 */
export function follow() {
  new EventSource("/local/changes").onmessage = ({ data }) => {
    const [subjects, ...id] = (JSON.parse(data) as string).split("/"),
      changed = url([subjects, id.join("/")]);
    for (const [read, path] of readers)
      if (path.startsWith(changed) && /^[/?]|^$/.test(path.slice(changed.length))) read();
  };
}

export interface Polled<T> {
  path: string;
  data?: T;
  problem?: Problem;
}

/**
 * usePolled reads a path, and again every `every` milliseconds while the page is visible. The
 * value changes only if the entity tag does. null reads nothing. After a failure the last data
 * stays, next to the problem, and the path is read again after five seconds at most.
 */
export const usePolled = <T>(path: string | null, every = 5000) => useRead<T>(path, every, request);

/** usePages reads a list with all its pages as usePolled reads a path. */
export const usePages = <T>(path: string | null, items: Items<T>, every = 5000) =>
  useRead<Pages<T>>(path, every, (at, signal) => readPages<T>(at, items, (page) => request(page, signal)));

/**
 * useReport asks the Stats API as usePolled reads a path. null asks nothing.
 */
export const useReport = (asked: Question | null, every = 60_000) =>
  useRead<Report>(asked && JSON.stringify(asked), every, ask);

const ask = (body: string, signal: AbortSignal) =>
  request("/api/v2/query", signal, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });

type Read = (path: string, signal: AbortSignal) => Promise<{ tag: string; body: unknown }>;

function useRead<T>(path: string | null, every: number, get: Read): Polled<T> {
  const [state, setState] = useState<Polled<T>>({ path: "" });
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    let timer = 0;
    let tag = "";
    let busy = false;
    let again = false;
    const read = async () => {
      if (busy) {
        again = true;
        return;
      }
      clearTimeout(timer);
      [busy, again] = [true, false];
      let pause = every;
      try {
        if (!document.hidden || !tag) {
          const got = await get(path, stop.signal);
          if (got.tag !== tag) {
            tag = got.tag;
            setState({ path, data: got.body as T });
          }
        }
      } catch (cause) {
        if (stop.signal.aborted) return;
        tag = "";
        pause = Math.min(every, 5000);
        const problem = cause instanceof Problem ? cause : new Problem(-1, String(cause));
        setState((old) => ({ path, data: old.path === path ? old.data : undefined, problem }));
      }
      busy = false;
      if (stop.signal.aborted) return;
      timer = window.setTimeout(read, again ? 100 : pause);
    };
    readers.set(read, path);
    read();
    return () => {
      readers.delete(read);
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, every]);
  return path !== null && state.path === path ? state : { path: path ?? "" };
}
