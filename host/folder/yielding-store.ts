/** One store for requests and controllers. Controllers pause in long work so that requests are answered first. */

import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Standstill } from './standstill.ts';
import type { Turns } from './turns.ts';

export interface YieldingStoreDeps {
  readonly objects: ObjectStore;
  readonly commits: GroupCommit;
  /** Called with the resource of each commit, after it. */
  readonly onCommit: (resource: string) => void;
  readonly turns: Turns;
  /** Holds what the controllers read and write; requests have a time of their own in which they end. */
  readonly standstill: Standstill;
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

type Before = <A extends readonly unknown[], R>(read: (...args: A) => Promise<R>) => typeof read;

/** Reads with something before each, or after each page of an index. */
const readsAfter = (objects: ObjectStore, before: Before) => {
  const goOn = before(async () => undefined);
  const pagesOf = <P>(read: () => AsyncIterable<P>) =>
    async function* () {
      for await (const page of read()) {
        await goOn();
        yield page;
      }
    };
  return {
    read: before(objects.read),
    page: before(objects.page),
    slots: before(objects.slots),
    podsByNode: before(objects.podsByNode),
    nodeHealth: pagesOf(objects.nodeHealth),
    unboundPods: pagesOf(objects.unboundPods),
    terminatedPods: pagesOf(objects.terminatedPods),
  };
};

const afterPause =
  ({ pause }: Turns): Before =>
  (read) =>
  async (...args) => {
    await pause();
    return read(...args);
  };

/** Views of one store. Their commits take turns, in groups with one sync of the disk each; controllers pause before reads. */
export const createYieldingStores = ({
  objects,
  commits: { urgent, monitor, patient },
  onCommit,
  turns,
  standstill: { hold },
}: YieldingStoreDeps): YieldingStores => {
  return {
    requests: { ...objects, commit: notifying(urgent, onCommit) },
    monitor: { ...objects, ...readsAfter(objects, hold), commit: hold(notifying(monitor, onCommit)) },
    controllers: {
      ...objects,
      ...readsAfter(objects, afterPause(turns)),
      commit: hold(notifying(patient, onCommit)),
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
