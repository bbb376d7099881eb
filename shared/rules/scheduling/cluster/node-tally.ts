/** Numbers of pods by node. */

/** Numbers by the name of a node; without those that are 0. */
export type NodeTally = ReadonlyMap<string, number>;

/** Adds `amount` to a node's number. A number that becomes 0 is left out. */
export const addToTally = (tally: Map<string, number>, nodeName: string, amount: number): void => {
  const sum = (tally.get(nodeName) ?? 0) + amount;
  if (sum === 0) tally.delete(nodeName);
  else tally.set(nodeName, sum);
};

const NOTHING: NodeTally = new Map();

/** The sums of tallies. A single one is returned as it is: it may follow the pods that it counts. */
export const sumOfTallies = (tallies: readonly NodeTally[]): NodeTally => {
  const [first = NOTHING, ...others] = tallies;
  if (others.length === 0) return first;
  const sum = new Map(first);
  for (const tally of others)
    for (const [name, amount] of tally) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
};
