// Parts that several pages use.
import { home, shared } from "./access";
import type { Problem } from "./api";

/** href returns the link to a page: its path parts, then its parameters. */
export function href(parts: string[], params: Record<string, string> | [string, string][] = {}): string {
  const query = new URLSearchParams(params).toString();
  return home + parts.map(encodeURIComponent).join("/") + (query && "?" + query);
}

export function Notice({ problem, waiting }: { problem?: Problem; waiting: boolean }) {
  if (problem) return <p class="problem" role="alert">{problem.message}</p>;
  return waiting ? <p class="note" role="status">Reading…</p> : null;
}

/** Title is the heading of the page of a subject, with a link to the others of its type. */
export function Title({ subjects, id }: { subjects: string; id: string }) {
  return <h1>{shared ? subjects : <a href={href([subjects])}>{subjects}</a>} / {id}</h1>;
}
