/** Writers that commit at the same time share one sync. */

import type { Commit, CommitOutcome } from '../../shared/ports/commit.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import { createFifo, type Fifo } from './fifo.ts';

/** So many commits take some ten milliseconds, beside the sync. */
export const MOST_TOGETHER = 128;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

const isAlone = ({ commit }: Waiting): boolean => commit.heartbeat !== undefined;

/** A commit with an effect on a heartbeat item comes alone: its conditions must see what the one before did. */
const takeGroup = (lane: Fifo<Waiting>): readonly Waiting[] => {
  const group: Waiting[] = [];
  for (let next = lane.at(0); next && group.length < MOST_TOGETHER; next = lane.at(0)) {
    if (isAlone(next) && group.length > 0) break;
    group.push(next);
    lane.take();
    if (isAlone(next)) break;
  }
  return group;
};

type CommitTogether = (commits: readonly Commit[]) => readonly CommitOutcome[];

/** One that cannot be written must not take the others with it: they are tried one by one. */
const settle = (commitTogether: CommitTogether, group: readonly Waiting[]): void => {
  try {
    const outcomes = commitTogether(group.map(({ commit }) => commit));
    for (const [place, { resolve }] of group.entries()) resolve(outcomes[place] ?? { outcome: 'unclear' });
  } catch (error) {
    if (group.length === 1) group[0]?.reject(error);
    else for (const one of group) settle(commitTogether, [one]);
  }
};

export interface GroupCommit {
  /** For requests, which somebody waits for. */
  readonly urgent: ObjectStore['commit'];
  /** For controllers: by turns with what is urgent. */
  readonly patient: ObjectStore['commit'];
}

/**
 * Collects commits and writes them in groups, one group in a turn of the event loop, so that requests and timers are heard
 * between two groups however many writers there are.
 */
export const createGroupCommit = (commitTogether: CommitTogether): GroupCommit => {
  const lanes: Record<keyof GroupCommit, Fifo<Waiting>> = { urgent: createFifo(), patient: createFifo() };
  let isPlanned = false;
  let isUrgentNext = true;
  const plan = (): void => {
    if (isPlanned || lanes.urgent.size() + lanes.patient.size() === 0) return;
    isPlanned = true;
    setImmediate(flush);
  };
  const flush = (): void => {
    isPlanned = false;
    const isUrgent = lanes.urgent.size() > 0 && (isUrgentNext || lanes.patient.size() === 0);
    isUrgentNext = !isUrgent;
    settle(commitTogether, takeGroup(isUrgent ? lanes.urgent : lanes.patient));
    plan();
  };
  const into =
    (lane: keyof GroupCommit): ObjectStore['commit'] =>
    (commit) =>
      new Promise((resolve, reject) => {
        lanes[lane].push({ commit, resolve, reject });
        plan();
      });
  return { urgent: into('urgent'), patient: into('patient') };
};
