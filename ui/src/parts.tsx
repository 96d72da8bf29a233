// Parts that several pages use.
import { home, shared } from "./access";
import type { Problem } from "./api";

/** href returns the link to a page: its path parts, then its parameters. */
export function href(parts: string[], params: Record<string, string> | [string, string][] = {}): string {
  const query = new URLSearchParams(params).toString();
  return home + parts.map(encodeURIComponent).join("/") + (query && "?" + query);
}

/** Notice shows what failed, or that a read goes on. That the API is absent is said once, above the page. */
export function Notice({ problem, waiting }: { problem?: Problem; waiting: boolean }) {
  if (problem && problem.status === absent) return null;
  if (problem)
    return (
      <p class="problem" role="alert">
        {problem.message}
      </p>
    );
  return waiting ? (
    <p class="note" role="status">
      Reading…
    </p>
  ) : null;
}

const absent = 0;

/** Title is the heading of the page of a subject, with a link to the others of its type. */
export function Title({ subjects, id }: { subjects: string; id: string }) {
  return (
    <h1 tabIndex={-1}>
      {shared ? subjects : <a href={href([subjects])}>{subjects}</a>} / <bdi>{id}</bdi>
    </h1>
  );
}
