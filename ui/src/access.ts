// How the pages may read: with the token of a shared link, with a sign-in's token, or, on this machine,
// without one. The token of a sign-in is kept in memory only: a new page signs in again, which the issuer
// does without a question.
import { currentTime } from "./clock";

/** The token of a link is in the address, as #/shared/TOKEN, and shows one subject until a time. */
export interface Shared {
  token: string;
  subjects: string;
  id: string;
  until: number;
  events: boolean; // the link shows events, not figures alone
}

const linkPrefix = "#/shared/";

/** tokenIn returns the token of the link in an address, undefined if it is none. */
export const tokenIn = (hash: string) =>
  hash.startsWith(linkPrefix) ? /^[^/?]*/.exec(hash.slice(linkPrefix.length))![0] : undefined;

/** readLink reads what a token says of itself. The API checks its signature. */
function readLink(token: string | undefined): Shared | undefined {
  if (token === undefined) return;
  const none = { token, subjects: "", id: "", until: NaN, events: false };
  try {
    const text = new TextDecoder().decode(
      Uint8Array.from(atob(token.split(".")[0].replaceAll("-", "+").replaceAll("_", "/")), (c) =>
        c.charCodeAt(0),
      ),
    );
    const [, until, events, subjects, id] = /^(\d+)(\+events)? ([^/]+)\/(.+)$/s.exec(text) ?? [];
    return id ? { token, subjects, id, until: Number(until) * 1000, events: !!events } : none;
  } catch {
    return none;
  }
}

export const shared = readLink(tokenIn(location.hash));

/** showsEvents is whether the reader may read events, and not figures alone. */
export const showsEvents = !shared || shared.events;

/** home begins the addresses of all pages. */
export const home = shared ? linkPrefix + shared.token + "/" : "#/";

/** What the stage says about its sign-in. */
interface SignIn {
  issuer: string;
  authorize: string;
  token: string;
  client: string;
  scope: string;
  audience?: string;
}

const stage: SignIn | undefined = shared
  ? undefined
  : (JSON.parse(document.querySelector<HTMLMetaElement>("meta[name=sign-in]")!.content || "null") ??
    undefined);

/** ownMachine is whether the pages read what is on the user's own machine. */
export const ownMachine = !shared && !stage;

let bearer = shared?.token,
  since = 0;

/** address returns what to fetch for a path of the API, and with which headers. */
export const address = (path: string): [string, Record<string, string>] => [
  (shared ? "/shared" : "") + path,
  bearer ? { Authorization: "Bearer " + bearer } : {},
];

/**
 * refused says why a request with a token was refused. A token of a sign-in that has expired is
 * replaced: the page is left.
 */
export function refused(status: number): string | undefined {
  if (shared && (status === 401 || status === 403)) {
    return shared.until <= currentTime()
      ? "This link has ended. Ask for a new one."
      : "This link does not show this page. It may be incomplete.";
  }
  if (!stage || status !== 401) return;
  if (Date.now() - since < 60_000)
    return `The API refuses the token of ${stage.issuer}. Its audience or scope differs from the stage's.`;
  begin(stage);
  return "The sign-in has expired.";
}

/** Begun is a sign-in that the issuer has not ended yet. */
interface Begun {
  state: string;
  verifier: string;
  hash: string;
}
const kept = "sign-in";
let leaving = false;
addEventListener("pageshow", () => {
  leaving = false;
}); // back from the issuer without an returned

const redirect = () => location.origin + "/ui/";
const text = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const random = () => text(crypto.getRandomValues(new Uint8Array(32)));

/** begin leaves the page for the issuer's page, once: the code flow of OAuth with PKCE (RFC 7636). */
export async function begin(to: SignIn = stage!) {
  if (leaving) return; // requests are refused together, and the state of one sign-in is kept
  leaving = true;
  const begun: Begun = { state: random(), verifier: random(), hash: location.hash };
  sessionStorage.setItem(kept, JSON.stringify(begun));
  const challenge = text(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(begun.verifier))),
  );
  const there = new URL(to.authorize);
  for (const [name, value] of Object.entries({
    response_type: "code",
    client_id: to.client,
    redirect_uri: redirect(),
    scope: to.scope,
    audience: to.audience,
    state: begun.state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  }))
    if (value) there.searchParams.set(name, value);
  location.assign(there);
}

/**
 * signIn returns when the pages may read. It throws what to show if the sign-in failed, and returns
 * false if it leaves the page.
 */
export async function signIn(): Promise<boolean> {
  if (!stage) return true;
  const returned = new URLSearchParams(location.search),
    begun: Begun | null = JSON.parse(sessionStorage.getItem(kept) ?? "null");
  if (!returned.has("state")) {
    await begin(stage);
    return false;
  }
  sessionStorage.removeItem(kept); // a code is used once
  history.replaceState(null, "", location.pathname + (begun?.hash ?? ""));
  if (begun?.state !== returned.get("state")) throw new Error("This sign-in was not begun in this window.");
  if (returned.has("error"))
    throw new Error(
      `${stage.issuer} did not sign you in: ${returned.get("error_description") ?? returned.get("error")}.`,
    );
  if (returned.has("iss") && returned.get("iss") !== stage.issuer)
    throw new Error("The returned is of another issuer."); // RFC 9207
  const form = {
    grant_type: "authorization_code",
    code: returned.get("code") ?? "",
    redirect_uri: redirect(),
    client_id: stage.client,
    code_verifier: begun.verifier,
  };
  const got = await fetch(stage.token, { method: "POST", body: new URLSearchParams(form) }).catch(() => {
    throw new Error(
      `${new URL(stage.token).origin} cannot be reached. It must allow requests of ${location.origin}.`,
    );
  });
  const body = await got.json().catch(() => ({}));
  if (!got.ok || typeof body.access_token !== "string")
    throw new Error(
      `${stage.issuer} returned no token: ${body.error_description ?? body.error ?? "status " + got.status}.`,
    );
  [bearer, since] = [body.access_token, Date.now()];
  return true;
}
