/** Reads the volumes of a pod by the names that it, its claims and their volumes give. */
import { createHash } from 'node:crypto';
import type { Pod } from '../../api/core.ts';
import type { PersistentVolume } from '../../api/validation/persistent-volume.ts';
import type { CSIDriver, VolumeAttachment } from '../../api/validation/storage.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import { attachableOf, attachmentNameOf, needsAttachment } from '../../domain/attachments/attachable.ts';
import { storedName, TOLD, waitForVolume } from '../../domain/attachments/wait-names.ts';
import { boundVolumeOf, claimPathsOf } from '../../domain/attachments/wanted-volumes.ts';
import type { KnownVolume } from '../../domain/explain/pod-volumes.ts';
import { liveRow } from '../../ports/rows.ts';
import type { ExplainDeps } from './explain-deps.ts';

/** Claims of a pod that are looked at, at most. */
const MOST_CLAIMS = 16;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const readObject = async <T>(
  { objects }: ExplainDeps,
  resource: string,
  name: string,
  namespace = '',
): Promise<T | undefined> =>
  name === ''
    ? undefined
    : (liveRow(await objects.read({ resource, namespace, name }))?.object as T | undefined);

const attachmentOf = async (deps: ExplainDeps, volume: KnownVolume['volume'], nodeName: string) => {
  if (!volume) return {};
  const name = attachmentNameOf(volume, nodeName, sha256);
  const [attachment, unwanted, wait] = await Promise.all([
    readObject<VolumeAttachment>(deps, 'volumeattachments', name),
    deps.control.sighting({ topic: 'unwanted-volume', name: storedName(nodeName, name) }),
    deps.control.sighting({ topic: 'volume-wait', name: storedName(nodeName, waitForVolume(volume.name)) }),
  ]);
  const isUnwanted = unwanted !== undefined && unwanted.uid === attachment?.metadata.uid;
  return {
    attachment,
    unwantedSince: isUnwanted ? unwanted.since : undefined,
    elsewhereSince: wait?.uid === TOLD ? wait.since : undefined,
  };
};

const readVolume = async (deps: ExplainDeps, path: string, nodeName: string): Promise<KnownVolume> => {
  const [namespace = '', name = ''] = path.split('/');
  const claim = await readObject<PersistentVolumeClaim>(deps, 'persistentvolumeclaims', name, namespace);
  const bound = boundVolumeOf(claim);
  const stored = await readObject<PersistentVolume>(deps, 'persistentvolumes', bound);
  const attachable = stored && attachableOf(stored);
  const driver = attachable && (await readObject<CSIDriver>(deps, 'csidrivers', attachable.driver));
  const volume = attachable && needsAttachment(driver) ? attachable : undefined;
  return { claim: name, isBound: bound !== '', volume, ...(await attachmentOf(deps, volume, nodeName)) };
};

/** What is known of the claims of a pod with a node. */
export const readVolumes = (deps: ExplainDeps, pod: Pod): Promise<readonly KnownVolume[]> => {
  const nodeName = pod.spec.nodeName ?? '';
  const paths = nodeName === '' ? [] : claimPathsOf(pod).slice(0, MOST_CLAIMS);
  return Promise.all(paths.map((path) => readVolume(deps, path, nodeName)));
};

/** What the caller has to be allowed to read for that. */
export const mayReadVolumes = async ({ mayRead }: ExplainDeps, { metadata }: Pod): Promise<boolean> => {
  const allowed = await Promise.all([
    mayRead({ group: '', resource: 'persistentvolumeclaims', namespace: metadata.namespace ?? '', name: '' }),
    mayRead({ group: '', resource: 'persistentvolumes', namespace: '', name: '' }),
    mayRead({ group: 'storage.k8s.io', resource: 'volumeattachments', namespace: '', name: '' }),
  ]);
  return allowed.every((one) => one);
};
