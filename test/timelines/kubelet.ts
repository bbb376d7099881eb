/** Plays the kubelets of the nodes that live: pods become ready, and those that are deleted go. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, PODS, type PodStatus } from './cluster.ts';
import type { Seen } from './history.ts';

const RUNS_AFTER_MS = 150;
const GONE_AFTER_MS = 300;

/** Told of each version of a pod. `reported`: what they report of pods that run. */
export const createKubelet = (cluster: Cluster, reported: PodStatus = {}): ((pod: Seen) => void) => {
  const begun = new Set<string>();

  /** Does it once for a pod, unless its node has died meanwhile. */
  const later = async (
    what: string,
    node: string,
    ms: number,
    act: () => Promise<unknown>,
  ): Promise<void> => {
    if (begun.has(what)) return;
    begun.add(what);
    const due = Date.now() + ms;
    await wait(ms);
    if (!cluster.live.has(node)) return;
    await act();
    cluster.wasLate((Date.now() - due) / 1_000);
  };

  return ({ metadata, spec, status }) => {
    const { name, uid = '', deletionTimestamp } = metadata;
    const node = (spec as { nodeName?: string }).nodeName;
    if (node === undefined || !cluster.live.has(node)) return;
    const path = `${PODS}/${name}`;
    const end = () => cluster.api.delete(path, { gracePeriodSeconds: 0, preconditions: { uid } });
    const doing =
      deletionTimestamp === undefined
        ? (status as { phase?: string }).phase === 'Pending' &&
          later(`run ${uid}`, node, RUNS_AFTER_MS, () => cluster.setPodStatus(name, reported))
        : later(`end ${uid}`, node, GONE_AFTER_MS, end);
    // The host may be gone by then.
    if (doing !== false) doing.catch(() => undefined);
  };
};
