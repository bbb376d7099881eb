/** What the runtime has, read for all pods at once. */
import type { Runtime, RuntimePod } from '../ports/runtime.ts';

export interface RuntimeView {
  /** What the runtime has now: never what was read before the call. Calls that come together share one reading. */
  read(): Promise<ReadonlyMap<string, RuntimePod>>;
  /** What was read last. */
  latest(): ReadonlyMap<string, RuntimePod>;
}

export const createRuntimeView = (runtime: Pick<Runtime, 'pods'>): RuntimeView => {
  let latest: ReadonlyMap<string, RuntimePod> = new Map();
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
  };
};
