// Increases of counters by groups, added up from the pages that read the members.

export interface Increase {
  group: string | null; // null: of readings in no group, or of which it is not known
  known: boolean;
  members: number;
  increase: number;
  exact: boolean;
}

type Sum = Omit<Increase, "group" | "known"> & { group?: string };

/** pageIncreases returns the increases of a page of the API, last the ones without a group. */
export function pageIncreases(page: Record<string, unknown>): Increase[] {
  const sums = (all: unknown[], known: boolean) =>
    all.map((sum) => ({ ...(sum as Sum), group: (sum as Sum).group ?? null, known }));
  const one = (name: string) => (page[name] ? [page[name]] : []);
  return [
    ...sums(page.groups as unknown[], true),
    ...sums(one("withoutGroup"), true),
    ...sums(one("unknownGroup"), false),
  ];
}

/** addIncreases adds up pages: each group once, the greatest increase first, the ones without a group last. */
export function addIncreases(pages: Increase[]): Increase[] {
  const sums = new Map<string, Increase>();
  for (const one of pages) {
    const key = JSON.stringify([one.group, one.known]);
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...one });
    else {
      sum.members += one.members;
      sum.increase += one.increase;
      sum.exact &&= one.exact;
    }
  }
  return [...sums.values()].sort(
    (a, b) =>
      Number(a.group === null) - Number(b.group === null) ||
      Number(b.known) - Number(a.known) ||
      b.increase - a.increase ||
      (a.group! < b.group! ? -1 : 1),
  );
}
