/**
 * As many items as fit into `rows`, and a last line about the others. Which items stay is decided by `first`: those for which the first
 * function holds, then the second one, then the others; they are shown in their own order.
 */
export const folded = <T>(
  all: readonly T[],
  rows: number,
  first: readonly ((one: T) => boolean)[],
  rest: (left: readonly T[]) => string,
): { readonly shown: readonly T[]; readonly rest: readonly string[] } => {
  if (all.length <= rows) return { shown: all, rest: [] };
  const rankOf = (one: T): number => {
    const rank = first.findIndex((holds) => holds(one));
    return rank < 0 ? first.length : rank;
  };
  const sorted = all.map((one) => ({ one, rank: rankOf(one) })).toSorted((a, b) => a.rank - b.rank);
  const room = Math.max(0, rows - 1);
  const shown = new Set(sorted.slice(0, room).map(({ one }) => one));
  return {
    shown: all.filter((one) => shown.has(one)),
    rest: rows < 1 ? [] : [rest(all.filter((one) => !shown.has(one)))],
  };
};
