// Whether the API responds, for one banner on all pages.
import { useEffect, useState } from "preact/hooks";
import { currentTime } from "./clock";

/** Away is since when the API does not respond, and when it did last, in milliseconds; 0 is never. */
export interface Away {
  since: number;
  last: number;
}

let last = 0;
let away: Away | undefined;
const watchers = new Set<() => void>();

/** heard notes whether a request had a response. */
export function heard(response: boolean, now = currentTime()) {
  const before = away;
  if (response) {
    last = now;
    away = undefined;
  } else {
    away ??= { since: now, last };
  }
  if (before !== away) for (const changed of watchers) changed();
}

export const current = () => away;

/** useAway returns the absence of the API, undefined while it responds. */
export function useAway(): Away | undefined {
  const [state, setState] = useState(away);
  useEffect(() => {
    const changed = () => setState(away);
    watchers.add(changed);
    return () => void watchers.delete(changed);
  }, []);
  return state;
}
