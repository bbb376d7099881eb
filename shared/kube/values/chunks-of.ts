/** The entries in their order, in lists of `size`; the last one may be shorter. */
export const chunksOf = <T>(entries: readonly T[], size: number): readonly T[][] =>
  Array.from({ length: Math.ceil(entries.length / size) }, (_, n) => entries.slice(n * size, (n + 1) * size));
