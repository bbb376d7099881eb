/** One store for requests and controllers. Controllers pause in long work so that requests are answered first. */

import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Turns } from './turns.ts';

export interface YieldingStoreDeps {
  readonly objects: ObjectStore;
  readonly commits: GroupCommit;
  /** Called with the resource of each commit, after it. */
  readonly onCommit: (resource: string) => void;
  readonly turns: Turns;
}

/** The store as its users see it. */
export interface YieldingStores {
  readonly requests: ObjectStore;
  /** For the node monitor: it reads as many nodes at a time as a group of commits has, and waits for no other controller. */
  readonly monitor: ObjectStore;
  readonly controllers: ObjectStore;
}

const notifying =
  (commit: ObjectStore['commit'], onCommit: YieldingStoreDeps['onCommit']): ObjectStore['commit'] =>
  async (given) => {
    const outcome = await commit(given);
    onCommit(given.key.resource);
    return outcome;
  };

/** The reads of controllers. */
const yieldingReads = (objects: ObjectStore, { pause }: Turns) => {
  const afterPause =
    <A extends readonly unknown[], R>(read: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await pause();
      return read(...args);
    };
  return {
    read: afterPause(objects.read),
    page: afterPause(objects.page),
    slots: afterPause(objects.slots),
    podsByNode: afterPause(objects.podsByNode),
  };
};

/** Views of one store. Their commits take turns, in groups with one sync of the disk each; controllers pause before reads. */
export const createYieldingStores = ({
  objects,
  commits: { urgent, monitor, patient },
  onCommit,
  turns,
}: YieldingStoreDeps): YieldingStores => {
  return {
    requests: { ...objects, commit: notifying(urgent, onCommit) },
    monitor: { ...objects, commit: notifying(monitor, onCommit) },
    controllers: {
      ...objects,
      ...yieldingReads(objects, turns),
      commit: notifying(patient, onCommit),
    },
  };
};

/** Deadlines read or written without a pause; they take a few milliseconds. */
const DEADLINES_AT_ONCE = 200;

/** Does `work` in parts and pauses before each. */
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

/** A control store that reads and writes deadlines in parts, with a pause before each. */
export const yieldingControl = (control: ControlStore, turns: Turns): ControlStore => ({
  ...control,
  deadlines: async (pods) => (await inParts(pods, turns, control.deadlines)).flat(),
  storeDeadlines: async (writes) => (await inParts(writes, turns, control.storeDeadlines)).flat(),
  deleteDeadlines: async (pods) => {
    await inParts(pods, turns, control.deleteDeadlines);
  },
});
