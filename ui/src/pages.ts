// A list of the API that has several pages, read as one.

import type { Missing } from "./api";
import { least, type Progress } from "./progress";

/**
 * A whole list, or its first pages: more is whether others follow, and missing names what is not known
 * of its range. Its progress is the least of all pages.
 */
export interface Pages<T> extends Progress {
  all: T[];
  more: boolean;
  missing: Missing[];
}

type Get = (path: string) => Promise<{ tag: string; body: unknown }>;

/** mostPages bounds what one look at a list costs. */
export const mostPages = 10;

/** Items is the field of a response that has the items of a list, or returns them. */
export type Items<T> = string | ((page: Record<string, unknown>) => T[]);

/** readPages follows the cursor of a list. The tag changes if any page does. */
export async function readPages<T>(
  path: string,
  items: Items<T>,
  get: Get,
): Promise<{ tag: string; body: Pages<T> }> {
  const all: T[] = [];
  const tags: string[] = [];
  const missing = new Map<string, Missing>();
  let cursor: string | null = null,
    progress: Progress = {};
  for (let n = 0; n < mostPages; n++) {
    const { tag, body } = await get(withCursor(path, cursor));
    const page = body as Record<string, unknown> & Progress & { next: string | null };
    all.push(...(typeof items === "string" ? (page[items] as T[]) : items(page)));
    for (const part of (page.missing as Missing[] | undefined) ?? []) missing.set(part.from, part);
    progress = least(progress, page);
    tags.push(tag);
    cursor = page.next;
    if (!cursor) break;
  }
  return { tag: tags.join(" "), body: { all, more: !!cursor, missing: [...missing.values()], ...progress } };
}

function withCursor(path: string, cursor: string | null): string {
  if (!cursor) return path;
  return path + (path.includes("?") ? "&" : "?") + new URLSearchParams({ cursor });
}
