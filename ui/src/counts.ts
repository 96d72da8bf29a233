// Numbers of members of groups, added up from the pages that count them.

export interface Count {
  group: string | null; // null: of the members without a group, or of which it is not known
  known: boolean;
  members: number;
  silent: number;
}

/** pageCounts returns the numbers of a page of the API, last the ones of members in no group. */
export function pageCounts(page: Record<string, unknown>): Count[] {
  const groups = (page.groups as Count[]).map((c) => ({ ...c, known: true }));
  const count = (name: string) => (page[name] as number | undefined) ?? 0;
  return [
    ...groups,
    { group: null, known: true, members: count("membersWithoutGroup"), silent: count("withoutGroup") },
    { group: null, known: false, members: count("membersUnknownGroup"), silent: count("unknownGroup") },
  ];
}

/**
 * addCounts adds up the counts of pages: each group once, the most members first, then by id. Members
 * in no group come last, if there are any.
 */
export function addCounts(pages: Count[]): Count[] {
  const sums = new Map<string, Count>();
  for (const c of pages) {
    const key = JSON.stringify([c.group, c.known]);
    const sum = sums.get(key) ?? { ...c, members: 0, silent: 0 };
    sum.members += c.members;
    sum.silent += c.silent;
    sums.set(key, sum);
  }
  const all = [...sums.values()].filter((c) => c.group !== null || c.members > 0);
  return all.sort(
    (a, b) =>
      Number(a.group === null) - Number(b.group === null) ||
      Number(b.known) - Number(a.known) ||
      b.members - a.members ||
      (a.group! < b.group! ? -1 : 1),
  );
}
