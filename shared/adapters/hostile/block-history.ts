import type { EpochMs } from '../../kube/values/time.ts';
import type { AddressChange, Holder } from '../../ports/store/addresses.ts';
import { createHistory, type History } from './history.ts';

/** The earlier holders of blocks, by path. */
export interface BlockHistory {
  readonly versions: History<readonly Holder[]>;
  /** The holders of the blocks that were ever held. */
  readonly current: Map<string, readonly Holder[]>;
}

/** Creates an empty history. */
export const createBlockHistory = (): BlockHistory => ({ versions: createHistory(), current: new Map() });

/** The path of a block. */
export const blockPath = (range: string, index: number): string => `blocks/${range}/${index}`;

/** The items that a change writes, as a transaction has them. */
export const addressPaths = (change: AddressChange): readonly string[] => {
  const ofRange = `ranges/${change.range}`;
  if (change.change === 'allocate') return [blockPath(change.range, change.index), ofRange];
  return [change.first === change.last ? blockPath(change.range, change.first) : ofRange];
};

const blockOf = (change: AddressChange): string | undefined => {
  if (change.change === 'allocate') return blockPath(change.range, change.index);
  return change.first === change.last ? blockPath(change.range, change.first) : undefined;
};

/** Records what changes have done to blocks. */
export const recordAddresses = (
  { versions, current }: BlockHistory,
  changes: readonly AddressChange[],
  now: EpochMs,
): void => {
  for (const change of changes) {
    const path = blockOf(change);
    if (path === undefined) continue;
    const before = current.get(path) ?? [];
    const others = before.filter(({ uid }) => uid !== change.holder.uid);
    const after = change.change === 'leave' ? others : [...others, change.holder];
    versions.record(path, before, after, now);
    current.set(path, after);
  }
};
