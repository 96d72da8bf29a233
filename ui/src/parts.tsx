// Parts that several pages use.
import type { Problem } from "./api";

/** href returns the link to a page: its path parts, then its parameters. */
export function href(parts: string[], params: Record<string, string> | [string, string][] = {}): string {
  const query = new URLSearchParams(params).toString();
  return "#/" + parts.map(encodeURIComponent).join("/") + (query && "?" + query);
}

export function Notice({ problem, waiting }: { problem?: Problem; waiting: boolean }) {
  if (problem) return <p class="problem" role="alert">{problem.message}</p>;
  return waiting ? <p class="note" role="status">Reading…</p> : null;
}
