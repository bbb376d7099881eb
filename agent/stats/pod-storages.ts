/** What pods store, measured beside all else: to walk through a large tree takes long. */
import { createLane } from '../lane.ts';
import { NOT_YET, type PodStorage, storageAfter, type TreeSizes } from '../rules/stats/pod-storage.ts';
import type { SteadyMs } from '../rules/stats/summary.ts';

interface Known {
  readonly storage: PodStorage;
  /** The folders that were measured. */
  readonly folders: ReadonlySet<string>;
  readonly measuredAt: SteadyMs;
  readonly askedAt: SteadyMs;
}

export interface PodStoragesOptions {
  /** Measures the folders of one pod. Never rejects. */
  readonly measure: (folders: readonly string[]) => Promise<TreeSizes>;
  /** Milliseconds that never step. */
  readonly uptime: () => SteadyMs;
  /** How old a size may get: `volumeStatsAggPeriod` of the configuration. */
  readonly periodMs: number;
  /** Hears once why the agent cannot measure. */
  readonly onFault: (fault: string) => void;
}

export interface PodStorages {
  /** What is known of the pod with this uid. Never waits. */
  storageOf(uid: string, folders: readonly string[]): PodStorage;
  /** Resolves when no measurement is under way. */
  idle(): Promise<void>;
}

/** How many pods are measured at the same time. Those that could not be measured last time wait for each other only. */
const MOST_AT_ONCE = 2;

/** Pods that nobody asks for any more are forgotten. */
export const createPodStorages = ({
  measure,
  uptime,
  periodMs,
  onFault,
}: PodStoragesOptions): PodStorages => {
  const known = new Map<string, Known>();
  const waiting = new Set<string>();
  const [usual, slow] = [createLane(MOST_AT_ONCE), createLane(MOST_AT_ONCE)];
  let lastFault: string | undefined;

  const forgetOld = (now: SteadyMs): void => {
    for (const [uid, { askedAt }] of known)
      if (now - askedAt > 2 * periodMs && !waiting.has(uid)) known.delete(uid);
  };

  const tellOnce = (found: TreeSizes): void => {
    if (found.is !== 'failed' || found.fault === lastFault) return;
    lastFault = found.fault;
    onFault(found.fault);
  };

  const update = async (uid: string, folders: readonly string[]): Promise<void> => {
    const found = await measure(folders);
    tellOnce(found);
    const now = uptime();
    const { storage = NOT_YET, askedAt = now } = known.get(uid) ?? {};
    const measured = { storage: storageAfter(storage, found), folders: new Set(folders) };
    known.set(uid, { ...measured, measuredAt: now, askedAt });
    waiting.delete(uid);
    forgetOld(now);
  };

  /** What is unknown is measured again at once, and so are folders that are new. */
  const isDue = (last: Known | undefined, folders: readonly string[], now: SteadyMs): boolean =>
    last === undefined ||
    last.storage.is === 'unknown' ||
    now - last.measuredAt >= periodMs ||
    folders.some((folder) => !last.folders.has(folder));

  return {
    storageOf: (uid, folders) => {
      const [now, last] = [uptime(), known.get(uid)];
      if (last) known.set(uid, { ...last, askedAt: now });
      if (!waiting.has(uid) && isDue(last, folders, now)) {
        waiting.add(uid);
        (last?.storage.is === 'unknown' ? slow : usual).add(() => update(uid, folders));
      }
      return last?.storage ?? NOT_YET;
    },
    idle: async () => {
      await Promise.all([usual.idle(), slow.idle()]);
    },
  };
};
