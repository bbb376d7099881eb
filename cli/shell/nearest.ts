/** Suggests the word that was probably meant. */

/** The least number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
const distance = (from: string, to: string): number => {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, n) => n)];
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const steps = [
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwap ? [(beforeLast[column - 2] ?? 0) + 1] : []),
      ];
      next.push(Math.min(...steps));
    }
    [beforeLast, last] = [last, next];
  }
  return last[to.length] ?? 0;
};

/** No suggestion for longer words: the cost is quadratic. */
const LONGEST = 64;

/**
 * The known word that differs least, by at most a third of the word's length (at least one edit); else one that starts with a word
 * of three letters or more; else `undefined`.
 */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > LONGEST) return undefined;
  const most = Math.max(1, Math.floor(word.length / 3));
  const near = known.map((one) => ({ one, steps: distance(word, one) })).filter(({ steps }) => steps <= most);
  const [best] = near.toSorted((a, b) => a.steps - b.steps);
  return best?.one ?? known.find((one) => word.length > 2 && one.startsWith(word));
};
