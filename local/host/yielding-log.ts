/** One log for requests and controllers: who has much to do is heard after who waits for an answer. */
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { Commit, CommitOutcome, ObjectLog } from '../../shared/ports/object-log.ts';
import { createGroupCommit } from './group-commit.ts';
import type { Turns } from './turns.ts';

export interface FairLogDeps {
  readonly log: ObjectLog;
  readonly commitTogether: (commits: readonly Commit[]) => readonly CommitOutcome[];
  /** Told the resource after each commit. */
  readonly onCommit: (resource: string) => void;
  readonly turns: Turns;
}

export interface FairLogs {
  readonly requests: ObjectLog;
  readonly controllers: ObjectLog;
}

const telling =
  (commit: ObjectLog['commit'], onCommit: FairLogDeps['onCommit']): ObjectLog['commit'] =>
  async (given) => {
    const outcome = await commit(given);
    onCommit(given.key.resource);
    return outcome;
  };

/** Two views of a log: commits share their syncs, and controllers pause between reads. */
export const createFairLogs = ({ log, commitTogether, onCommit, turns }: FairLogDeps): FairLogs => {
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

/** A control store whose users pause before they read or write many deadlines. */
export const fairControl = (control: ControlStore, turns: Turns): ControlStore => ({
  ...control,
  deadlines: async (pods) => {
    await turns.pause();
    return control.deadlines(pods);
  },
  storeDeadlines: async (writes) => {
    await turns.pause();
    return control.storeDeadlines(writes);
  },
  deleteDeadlines: async (pods) => {
    await turns.pause();
    return control.deleteDeadlines(pods);
  },
});
