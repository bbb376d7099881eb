/** What pods store, measured beside all else: to walk through a large tree takes long. */
import { createLane, type Lane } from '../lane.ts';
import { NOT_YET, type PodStorage, storageAfter, type TreeSizes } from '../rules/stats/pod-storage.ts';
import type { SteadyMs } from '../rules/stats/summary.ts';

interface Known {
  readonly storage: PodStorage;
  /** The folders that were measured. */
  readonly folders: ReadonlySet<string>;
  readonly measuredAt: SteadyMs;
  /** Whether that was done at once. */
  readonly isQuick: boolean;
  readonly askedAt: SteadyMs;
}

/** A pod to be measured. */
interface Due {
  readonly uid: string;
  readonly folders: readonly string[];
}

export interface PodStoragesOptions {
  /** Measures folders, which may take so long (ms); absent: as long as one pod may take. Never rejects. */
  readonly measure: (folders: readonly string[], timeoutMs?: number) => Promise<TreeSizes>;
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

/** How many measurements go on at the same time. Those of pods that could not be measured last time wait for each other only. */
const MOST_AT_ONCE = 2;
/** How long the measurement of a pod takes at most that is measured together with others the next time (ms). */
const QUICK_MS = 1_000;
/** How long one of several pods may take (ms), and of how many. No folder of a pod is below that of another one. */
const TOGETHER_MS = 5_000;
const MOST_TOGETHER = 50;

/** The sizes of some of the folders. */
const sizesOf = (found: TreeSizes, folders: readonly string[]): TreeSizes => {
  if (found.is !== 'measured') return found;
  const own = new Set(folders);
  return { is: 'measured', sizes: new Map([...found.sizes].filter(([folder]) => own.has(folder))) };
};

interface TogetherDeps extends Pick<PodStoragesOptions, 'measure'> {
  readonly lane: Lane;
  readonly onSizes: (pod: Due, found: TreeSizes) => void;
  /** Nobody knows which of them is to blame. */
  readonly onFailed: (pods: readonly Due[]) => void;
}

/** Measures pods that come at the same time by one program: one for each, every minute, takes more than what they measure. */
const createTogether = ({ lane, measure, onSizes, onFailed }: TogetherDeps) => {
  let waiting: Due[] = [];
  const round = async (): Promise<void> => {
    await Promise.resolve();
    const pods = waiting.slice(0, MOST_TOGETHER);
    waiting = waiting.slice(MOST_TOGETHER);
    if (waiting.length > 0) lane.add(round);
    const found = await measure(
      pods.flatMap(({ folders }) => folders),
      TOGETHER_MS,
    );
    if (found.is !== 'measured') onFailed(pods);
    else for (const pod of pods) onSizes(pod, sizesOf(found, pod.folders));
  };
  return {
    add: (pod: Due): void => {
      waiting.push(pod);
      if (waiting.length === 1) lane.add(round);
    },
  };
};

const hasNew = (folders: readonly string[], last: Known): boolean =>
  folders.some((folder) => !last.folders.has(folder));

/** What is unknown is measured again at once, and so are folders that are new. */
const isDue = (
  last: Known | undefined,
  folders: readonly string[],
  ageMs: number,
  periodMs: number,
): boolean =>
  last === undefined || last.storage.is === 'unknown' || ageMs >= periodMs || hasNew(folders, last);

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

  const note = ({ uid, folders }: Due, found: TreeSizes, isQuick: boolean): void => {
    const now = uptime();
    const { storage = NOT_YET, askedAt = now } = known.get(uid) ?? {};
    const measured = { storage: storageAfter(storage, found), folders: new Set(folders), isQuick };
    known.set(uid, { ...measured, measuredAt: now, askedAt });
    waiting.delete(uid);
    forgetOld(now);
  };

  const update = async (pod: Due): Promise<void> => {
    const beganAt = uptime();
    const found = await measure(pod.folders);
    tellOnce(found);
    note(pod, found, found.is === 'measured' && uptime() - beganAt <= QUICK_MS);
  };

  const together = createTogether({
    lane: usual,
    measure,
    onSizes: (pod, found) => note(pod, found, true),
    onFailed: (pods) => {
      for (const pod of pods) usual.add(() => update(pod));
    },
  });

  const begin = (pod: Due, last: Known | undefined): void => {
    waiting.add(pod.uid);
    if (last?.isQuick && !hasNew(pod.folders, last)) together.add(pod);
    else (last?.storage.is === 'unknown' ? slow : usual).add(() => update(pod));
  };

  return {
    storageOf: (uid, folders) => {
      const [now, last] = [uptime(), known.get(uid)];
      if (last) known.set(uid, { ...last, askedAt: now });
      const ageMs = now - (last?.measuredAt ?? now);
      if (!waiting.has(uid) && isDue(last, folders, ageMs, periodMs)) begin({ uid, folders }, last);
      return last?.storage ?? NOT_YET;
    },
    idle: async () => {
      await Promise.all([usual.idle(), slow.idle()]);
    },
  };
};
