/** What became of the blocks of addresses in a run. */

import type { Plan } from '../plan/plan.ts';
import type { Happening } from './history.ts';

/** Numbers of the blocks of addresses of Nodes. */
export interface AddressFigures {
  /** Nodes at the end, and those of them with podCIDRs. */
  readonly nodes: number;
  readonly withBlocks: number;
  /** How often a Node got a block that a Node that is gone had before. */
  readonly reused: number;
  /** How often a Node got a block while another one had it. */
  readonly twice: number;
}

interface Counting {
  readonly here: Set<string>;
  /** The Node that has each block. */
  readonly holders: Map<string, string>;
  readonly known: Set<string>;
  reused: number;
  twice: number;
}

const countBlock = (counting: Counting, block: string, node: string): void => {
  if (counting.holders.has(block)) counting.twice += 1;
  else if (counting.known.has(block)) counting.reused += 1;
  counting.known.add(block);
  counting.holders.set(block, node);
};

const countLeft = ({ here, holders }: Counting, gone: string): void => {
  here.delete(gone);
  for (const [block, node] of holders) if (node === gone) holders.delete(block);
};

const count = (counting: Counting, one: Happening): void => {
  if (one.kind === 'joined') counting.here.add(one.node);
  if (one.kind === 'left') countLeft(counting, one.node);
  if (one.kind === 'addressed') for (const block of one.podCidrs) countBlock(counting, block, one.node);
};

/** Computes the figures of the addresses; `undefined` if no Node got any. */
export const addressesOf = (
  { machines, actions = [] }: Plan,
  happenings: readonly Happening[],
): AddressFigures | undefined => {
  if (!happenings.some(({ kind }) => kind === 'addressed')) return undefined;
  const later = new Set(actions.flatMap((one) => (one.kind === 'join' ? [one.node] : [])));
  const here = new Set(machines.map(({ name }) => name).filter((name) => !later.has(name)));
  const counting: Counting = { here, holders: new Map(), known: new Set(), reused: 0, twice: 0 };
  for (const one of happenings) count(counting, one);
  const withBlocks = new Set(counting.holders.values()).size;
  return { nodes: here.size, withBlocks, reused: counting.reused, twice: counting.twice };
};
