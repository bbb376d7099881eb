import type { Holder, RangeState, WaitingNode } from '../../ports/store/addresses.ts';
import type { AddressTables } from '../in-process/addresses.ts';

/** Blocks of addresses in memory. */
export const createMemoryAddresses = (): AddressTables => {
  const ranges = new Map<string, RangeState>();
  const blocks = new Map<string, Map<number, readonly Holder[]>>();
  const waiting = new Map<string, WaitingNode>();
  let entered: string | undefined;
  const blocksOf = (range: string): Map<number, readonly Holder[]> => {
    const found = blocks.get(range) ?? new Map<number, readonly Holder[]>();
    blocks.set(range, found);
    return found;
  };
  return {
    ranges,
    blocks: {
      get: (range, index) => blocksOf(range).get(index) ?? [],
      set: (range, index, holders) => {
        if (holders.length === 0) blocksOf(range).delete(index);
        else blocksOf(range).set(index, holders);
      },
      from: (range, from, most) =>
        [...blocksOf(range)]
          .filter(([index]) => index >= from)
          .toSorted(([a], [b]) => a - b)
          .slice(0, most)
          .map(([index, holders]) => ({ index, holders })),
    },
    waiting: {
      all: () => [...waiting.values()],
      put: (node) => {
        if (!waiting.has(node.uid)) waiting.set(node.uid, node);
      },
      delete: (uid) => waiting.delete(uid),
    },
    entered: {
      get: () => entered,
      set: (text) => {
        entered = text;
      },
    },
  };
};
