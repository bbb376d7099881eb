/** Plays the external-attacher of a CSI driver: attaches and detaches volumes at once, and says so. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { Seen } from './history.ts';

const DONE_AFTER_MS = 200;
const FINALIZERS = ['external-attacher/d-example-com'];

/** Told of each version of a VolumeAttachment. */
export const createAttacher = (cluster: Cluster): ((attachment: Seen) => void) => {
  const begun = new Set<string>();

  const later = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    if (begun.has(what)) return;
    begun.add(what);
    const due = Date.now() + DONE_AFTER_MS;
    await wait(DONE_AFTER_MS);
    await act();
    cluster.wasLate((Date.now() - due) / 1_000);
  };

  return ({ metadata: { name, uid = '', deletionTimestamp } }) => {
    const path = `/apis/storage.k8s.io/v1/volumeattachments/${name}`;
    const setAttached = (attached: boolean) => cluster.api.patch(`${path}/status`, { status: { attached } });
    const setFinalizers = (finalizers: readonly string[] | null) =>
      cluster.api.patch(path, { metadata: { finalizers } });
    const attach = async (): Promise<void> => {
      await setFinalizers(FINALIZERS);
      await setAttached(true);
    };
    const detach = async (): Promise<void> => {
      await setAttached(false);
      await setFinalizers(null);
    };
    const doing =
      deletionTimestamp === undefined ? later(`attach ${uid}`, attach) : later(`detach ${uid}`, detach);
    // The host may be gone by then.
    doing.catch(() => undefined);
  };
};
