// What an address says beside its page: the state of a view, as parameters behind a question mark.

/** withParams returns an address with parameters changed; null removes one. */
export function withParams(hash: string, changes: Record<string, string | null>): string {
  const [path, query = ""] = hash.split("?");
  const params = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return (path || "#/") + (text && "?" + text);
}

/**
 * change sets parameters of this page's address. The browser's Back undoes it, unless replace is true: for
 * what changes with each key.
 */
export function change(changes: Record<string, string | null>, replace = false) {
  const next = withParams(location.hash, changes);
  if (next === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", next);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
