/** What the runtime has. */
import type { Runtime, RuntimePod } from '../../ports/machine/runtime.ts';

export interface RuntimeView {
  /** All that the runtime has now: never what was read before the call. Calls that come together share one reading. */
  read(): Promise<ReadonlyMap<string, RuntimePod>>;
  /** The pod as it is now, without a look at the others. */
  readPod(uid: string): Promise<RuntimePod | undefined>;
  /** What was read last. */
  latest(): ReadonlyMap<string, RuntimePod>;
}

export const createRuntimeView = (runtime: Pick<Runtime, 'pods' | 'pod'>): RuntimeView => {
  let latest = new Map<string, RuntimePod>();
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<ReadonlyMap<string, RuntimePod>> | undefined;
  const readNow = async (): Promise<ReadonlyMap<string, RuntimePod>> => {
    next = undefined;
    const pods = await runtime.pods();
    latest = new Map(pods.map((one) => [one.pod.uid, one]));
    return latest;
  };
  return {
    latest: () => latest,
    read: () => {
      if (next) return next;
      const mine = current.then(readNow, readNow);
      next = mine;
      current = mine.catch(() => undefined);
      return mine;
    },
    readPod: async (uid) => {
      const found = await runtime.pod(uid);
      if (found) latest.set(uid, found);
      else latest.delete(uid);
      return found;
    },
  };
};
