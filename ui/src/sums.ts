// Increases of counters by groups, added up from the pages that read the members.

export interface Increase {
  group: string; // "" where rest says what it is of
  rest: string;
  members: number;
  increase?: number; // absent: no step to a reading is known
  exact: boolean;
}

type Sum = Pick<Increase, "members" | "increase" | "exact">;

interface Page {
  groups: (Sum & { group: string })[];
  withoutGroup?: Sum;
  unknownGroup?: Sum;
  missingOf?: number;
}

/** The rows without a group, in their order. */
const rests = ["in no group", "group not known", "partly not stored any more"];

/** pageIncreases returns the increases of a page of the API, last the ones without a group. */
export function pageIncreases(page: Record<string, unknown>): Increase[] {
  const { groups, withoutGroup, unknownGroup, missingOf } = page as unknown as Page;
  const missing = missingOf ? { members: missingOf, exact: false } : undefined;
  return [
    ...groups.map((g) => ({ ...g, rest: "" })),
    ...[withoutGroup, unknownGroup, missing].flatMap((sum, i) =>
      sum ? [{ ...sum, group: "", rest: rests[i] }] : [],
    ),
  ];
}

/**
 * addIncreases adds up pages: each group once, the greatest increase first, the ones without a group last. A
 * group is not exact beside what is not known of a member of any page.
 */
export function addIncreases(pages: Increase[]): Increase[] {
  const sums = new Map<string, Increase>();
  for (const one of pages) {
    const key = JSON.stringify([one.group, one.rest]);
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...one });
    else {
      sum.members += one.members;
      sum.exact &&= one.exact;
      if (one.increase !== undefined) sum.increase = (sum.increase ?? 0) + one.increase;
    }
  }
  const all = [...sums.values()];
  const whole = !all.some((sum) => rests.indexOf(sum.rest) > 0);
  return all
    .map((sum) => ({ ...sum, exact: sum.exact && whole }))
    .sort(
      (a, b) =>
        rests.indexOf(a.rest) - rests.indexOf(b.rest) ||
        (b.increase ?? -1) - (a.increase ?? -1) ||
        (a.group < b.group ? -1 : 1),
    );
}
