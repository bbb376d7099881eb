/** Which commits may be written in one transaction, with one sync of the disk. Pure. */
import type { Commit } from '../../shared/ports/store/commit.ts';

type Effect = Pick<Commit, 'heartbeat'>;

/**
 * Collects a group. Conditions on a heartbeat item are checked against the item as it was before the group, and effects are applied
 * after it: so no commit may look at the item of a node, or change it, together with another one that changes it. Items of relays' parts
 * are not changed by commits.
 */
export interface CommitGroup {
  /** Adds a commit unless it must be written after this group. Whether it was added. */
  add(commit: Effect): boolean;
}

export const createCommitGroup = (): CommitGroup => {
  /** By node: whether a commit of the group changes its item, or some only look at it. */
  const effects = new Map<string, 'changes' | 'looks'>();
  return {
    add: ({ heartbeat }) => {
      if (!heartbeat) return true;
      const effect = heartbeat.effect === 'unmoved' ? 'looks' : 'changes';
      const there = effects.get(heartbeat.node);
      if (there !== undefined && (there === 'changes' || effect === 'changes')) return false;
      effects.set(heartbeat.node, effect);
      return true;
    },
  };
};
