/** One log for requests and controllers: who has much to do is heard after who waits for an answer. */

import type { Commit, CommitOutcome } from '../../shared/ports/commit.ts';
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';
import { createGroupCommit } from './group-commit.ts';
import type { Turns } from './turns.ts';

export interface YieldingLogDeps {
  readonly log: ObjectLog;
  readonly commitTogether: (commits: readonly Commit[]) => readonly CommitOutcome[];
  /** Told the resource after each commit. */
  readonly onCommit: (resource: string) => void;
  readonly turns: Turns;
}

export interface YieldingLogs {
  readonly requests: ObjectLog;
  readonly controllers: ObjectLog;
}

const telling =
  (commit: ObjectLog['commit'], onCommit: YieldingLogDeps['onCommit']): ObjectLog['commit'] =>
  async (given) => {
    const outcome = await commit(given);
    onCommit(given.key.resource);
    return outcome;
  };

/** Two views of a log: commits share their syncs, and controllers pause between reads. */
export const createYieldingLogs = ({
  log,
  commitTogether,
  onCommit,
  turns,
}: YieldingLogDeps): YieldingLogs => {
  const { urgent, patient } = createGroupCommit(commitTogether);
  return {
    requests: { ...log, commit: telling(urgent, onCommit) },
    controllers: {
      ...log,
      commit: telling(patient, onCommit),
      read: async (key) => {
        await turns.pause();
        return log.read(key);
      },
    },
  };
};

/** Deadlines read or written in one go: a few milliseconds. */
const DEADLINES_AT_ONCE = 200;

/** Does `work` part by part and pauses before each. */
const inParts = async <T, R>(
  items: readonly T[],
  turns: Turns,
  work: (part: readonly T[]) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += DEADLINES_AT_ONCE) {
    await turns.pause();
    results.push(await work(items.slice(from, from + DEADLINES_AT_ONCE)));
  }
  return results;
};

/** A control store that reads and writes many deadlines a part at a time: others have a turn between two parts. */
export const yieldingControl = (control: ControlStore, turns: Turns): ControlStore => ({
  ...control,
  deadlines: async (pods) => (await inParts(pods, turns, control.deadlines)).flat(),
  storeDeadlines: async (writes) => (await inParts(writes, turns, control.storeDeadlines)).flat(),
  deleteDeadlines: async (pods) => {
    await inParts(pods, turns, control.deleteDeadlines);
  },
});
