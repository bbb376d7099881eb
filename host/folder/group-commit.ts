/** Writes commits that arrive at the same time in groups. Each group costs one sync of the disk. */

import type { Commit, CommitOutcome } from '../../shared/ports/store/commit.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { createFifo, type Fifo } from './fifo.ts';

/** Most commits in a group. So many take about ten milliseconds, besides the sync. */
export const MOST_TOGETHER = 128;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

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

type CommitTogether = (commits: readonly Commit[]) => readonly CommitOutcome[];

/** Writes a group and resolves its commits. If that fails, tries them one by one, so that one bad commit fails alone. */
const write = (commitTogether: CommitTogether, group: readonly Waiting[]): void => {
  try {
    const outcomes = commitTogether(group.map(({ commit }) => commit));
    for (const [place, { resolve }] of group.entries()) resolve(outcomes[place] ?? { outcome: 'unclear' });
  } catch (error) {
    if (group.length === 1) group[0]?.reject(error);
    else for (const one of group) write(commitTogether, [one]);
  }
};

/** Ways to commit. Each group takes some of each way: nobody waits behind the many commits of others. */
export interface GroupCommit {
  /** For API requests. */
  readonly urgent: ObjectStore['commit'];
  /** For the node monitor, which marks all nodes of an outage within seconds. */
  readonly monitor: ObjectStore['commit'];
  /** For the other controllers. */
  readonly patient: ObjectStore['commit'];
  /** Whether so many commits of the node monitor wait that other controllers should wait for them: it marks the nodes of an outage. */
  isOutage(): boolean;
}

type Way = Exclude<keyof GroupCommit, 'isOutage'>;

/** Commits of the node monitor that wait at the same time in an outage. */
const MANY = 32;

const IN_TURN: readonly Way[] = ['urgent', 'monitor', 'patient'];
/** Commits of a group that each way may have before others take what is left. */
const SHARE = Math.ceil(MOST_TOGETHER / IN_TURN.length);

/** Takes the next group: a share of each way, then what fits. The order of a way is kept: what may not join ends its part. */
const takeGroup = (queues: readonly Fifo<Waiting>[]): readonly Waiting[] => {
  const group: Waiting[] = [];
  const { add } = createCommitGroup();
  const takeFrom = (queue: Fifo<Waiting>, most: number): void => {
    const until = Math.min(group.length + most, MOST_TOGETHER);
    for (let next = queue.at(0); next && group.length < until && add(next.commit); next = queue.at(0)) {
      group.push(next);
      queue.take();
    }
  };
  for (const queue of queues) takeFrom(queue, SHARE);
  for (const queue of queues) takeFrom(queue, MOST_TOGETHER);
  return group;
};

/**
 * Collects commits and writes one group per turn of the event loop, so that requests and timers run between two groups however
 * many writers there are.
 */
export const createGroupCommit = (commitTogether: CommitTogether): GroupCommit => {
  const queues: Record<Way, Fifo<Waiting>> = {
    urgent: createFifo(),
    monitor: createFifo(),
    patient: createFifo(),
  };
  let isPlanned = false;
  let order = IN_TURN;
  const plan = (): void => {
    if (isPlanned || order.every((way) => queues[way].size() === 0)) return;
    isPlanned = true;
    setImmediate(flush);
  };
  const flush = (): void => {
    isPlanned = false;
    const group = takeGroup(order.map((way) => queues[way]));
    // Another way comes first, so that none is kept out of every group by what it may not join.
    order = [...order.slice(1), ...order.slice(0, 1)];
    write(commitTogether, group);
    plan();
  };
  const into =
    (queue: Way): ObjectStore['commit'] =>
    (commit) =>
      new Promise((resolve, reject) => {
        queues[queue].push({ commit, resolve, reject });
        plan();
      });
  return {
    urgent: into('urgent'),
    monitor: into('monitor'),
    patient: into('patient'),
    isOutage: () => queues.monitor.size() >= MANY,
  };
};
