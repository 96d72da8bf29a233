// How the pages may read: with the token of a shared link, or, on this machine, without one.

/** The token of a link is in the address, as #/shared/TOKEN, and shows one subject until a time. */
export interface Shared { token: string; subjects: string; id: string; until: number }

const linkPrefix = "#/shared/";

/** tokenIn returns the token of the link in an address, undefined if it is none. */
export const tokenIn = (hash: string) => (hash.startsWith(linkPrefix) ? /^[^/?]*/.exec(hash.slice(linkPrefix.length))![0] : undefined);

/** readLink reads what a token says of itself. The API checks its signature. */
function readLink(token: string | undefined): Shared | undefined {
  if (token === undefined) return;
  const none = { token, subjects: "", id: "", until: NaN };
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(token.split(".")[0].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)));
    const [, until, subjects, id] = /^(\d+) ([^/]+)\/(.+)$/s.exec(text) ?? [];
    return id ? { token, subjects, id, until: Number(until) * 1000 } : none;
  } catch {
    return none;
  }
}

export const shared = readLink(tokenIn(location.hash));

/** home begins the addresses of all pages. */
export const home = shared ? linkPrefix + shared.token + "/" : "#/";

/** address returns what to fetch for a path of the API, and with which headers. */
export const address = (path: string): [string, Record<string, string>] => (shared ? ["/shared" + path, { Authorization: "Bearer " + shared.token }] : [path, {}]);

/** refused says why a request with the token of a link was refused. */
export function refused(status: number): string | undefined {
  if (!shared || (status !== 401 && status !== 403)) return;
  return shared.until <= Date.now() ? "This link has ended. Ask for a new one." : "This link does not show this page. It may be incomplete.";
}
