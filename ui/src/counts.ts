// Numbers of members of groups, added up from the pages that count them.

export interface Count {
  group: string;
  members: number;
  silent: number;
}

/** addCounts adds up the counts of pages: each group once, the most members first, then by id. */
export function addCounts(pages: Count[]): Count[] {
  const sums = new Map<string, Count>();
  for (const c of pages) {
    const sum = sums.get(c.group) ?? { group: c.group, members: 0, silent: 0 };
    sum.members += c.members;
    sum.silent += c.silent;
    sums.set(c.group, sum);
  }
  return [...sums.values()].sort((a, b) => b.members - a.members || (a.group < b.group ? -1 : 1));
}
