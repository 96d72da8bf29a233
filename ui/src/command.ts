// The commands that return what a chart shows.

/** quoted returns a word as a shell reads it. */
export const quoted = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", `'\\''`) + "'";

/** A chart as a command asks for it. tier is empty where parts of the range have different tiers. */
export interface Asked {
  subject: string;
  kind: string;
  stream: string;
  measure: string;
  tier: string;
  from: string;
  to: string;
  buckets: number;
}

/** tidemarkCommand returns the command line that prints the buckets of a chart. */
export function tidemarkCommand(a: Asked): string {
  const options = [
    ["--kind", a.kind],
    ["--stream", a.stream],
    ["--measure", a.measure],
    ["--tier", a.tier],
    ["--from", a.from],
    ["--to", a.to],
    ["--limit", a.tier && String(a.buckets)],
  ].filter(([, value]) => value);
  return ["tidemark", "rollups", ...[[a.subject], ...options].flat().map(quoted)].join(" ");
}

/** curlCommand returns the request of a chart, as CSV with every figure. */
export const curlCommand = (url: string) => `curl -H 'Accept: text/csv' ${quoted(url)}`;
