/** Writes commits that arrive at the same time in groups. Each group costs one sync of the disk. */

import type { Commit, CommitOutcome } from '../../shared/ports/commit.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
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

/** Two ways to commit, which differ in their priority. */
export interface GroupCommit {
  /** For API requests. */
  readonly urgent: ObjectStore['commit'];
  /** For controllers. Its groups alternate with urgent ones while both have commits. */
  readonly patient: ObjectStore['commit'];
}

/**
 * Collects commits and writes one group per turn of the event loop, so that requests and timers run between two groups however
 * many writers there are.
 */
export const createGroupCommit = (commitTogether: CommitTogether): GroupCommit => {
  const queues: Record<keyof GroupCommit, Fifo<Waiting>> = { urgent: createFifo(), patient: createFifo() };
  let isPlanned = false;
  let isUrgentNext = true;
  const plan = (): void => {
    if (isPlanned || queues.urgent.size() + queues.patient.size() === 0) return;
    isPlanned = true;
    setImmediate(flush);
  };
  const flush = (): void => {
    isPlanned = false;
    const isUrgent = queues.urgent.size() > 0 && (isUrgentNext || queues.patient.size() === 0);
    isUrgentNext = !isUrgent;
    write(commitTogether, takeGroup(isUrgent ? queues.urgent : queues.patient));
    plan();
  };
  const into =
    (queue: keyof GroupCommit): ObjectStore['commit'] =>
    (commit) =>
      new Promise((resolve, reject) => {
        queues[queue].push({ commit, resolve, reject });
        plan();
      });
  return { urgent: into('urgent'), patient: into('patient') };
};
