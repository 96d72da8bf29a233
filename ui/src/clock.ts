// The time of the pages.
let ahead = 0;

/**
 * currentTime is the time of the API in milliseconds: tidemark dev can move its clock. It is the browser's before
 * the first response, and for an API of another origin.
 */
export const currentTime = () => Date.now() + ahead;

/** heardAt notes the time of a response. Its header Date has whole seconds: less than two are no difference. */
export function heardAt(date: string | null, here = Date.now()) {
  const by = Date.parse(date ?? "") - here;
  if (Math.abs(by - ahead) >= 2000) ahead = by;
}
