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

/** `unmoved` only looks at the heartbeat item. */
const isAlone = ({ commit: { heartbeat } }: Waiting): boolean =>
  heartbeat !== undefined && heartbeat.effect !== 'unmoved';

/**
 * Takes the next group. A commit that changes a heartbeat item is a group of its own, so that the conditions of a group see all changes
 * of earlier commits.
 */
const takeGroup = (queue: Fifo<Waiting>): readonly Waiting[] => {
  const group: Waiting[] = [];
  for (let next = queue.at(0); next && group.length < MOST_TOGETHER; next = queue.at(0)) {
    if (isAlone(next) && group.length > 0) break;
    group.push(next);
    queue.take();
    if (isAlone(next)) break;
  }
  return group;
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

/** Ways to commit, whose groups take turns while several have commits: nobody waits behind the many commits of others. */
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
  const next = (): Way | undefined => order.find((queue) => queues[queue].size() > 0);
  const plan = (): void => {
    if (isPlanned || next() === undefined) return;
    isPlanned = true;
    setImmediate(flush);
  };
  const flush = (): void => {
    isPlanned = false;
    const queue = next();
    if (queue === undefined) return;
    order = [...order.filter((other) => other !== queue), queue];
    write(commitTogether, takeGroup(queues[queue]));
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
