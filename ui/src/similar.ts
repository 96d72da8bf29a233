// Ids that a reader may have meant.

const suggested = 5;

/**
 * similar returns the ids closest to one that is not known: those that contain it, then by how few
 * letters differ.
 */
export function similar(id: string, ids: string[]): string[] {
  const wanted = id.toLowerCase();
  const most = Math.max(1, Math.floor(wanted.length / 3));
  return ids
    .filter((x) => Math.abs(x.length - id.length) <= most || x.toLowerCase().includes(wanted))
    .map((x) => ({ x, far: x.toLowerCase().includes(wanted) ? 0 : distance(wanted, x.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far || (a.x < b.x ? -1 : 1))
    .slice(0, suggested)
    .map(({ x }) => x);
}

/** distance returns how many letters must be added, removed or replaced to make b of a. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
