/** Reads the volumes of a pod by the names that it, its claims and their volumes give. */
import type { Pod } from '../../kube/types/core.ts';
import type {
  CSIDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttachment,
} from '../../kube/types/storage.ts';
import { attachableOf, needsAttachment } from '../../rules/attachments/attachable.ts';
import { storedName, TOLD, waitForVolume } from '../../rules/attachments/wait-names.ts';
import { boundVolumeOf, claimPathsOf } from '../../rules/attachments/wanted-volumes.ts';
import type { KnownVolume } from '../../rules/explain/pod/pod-volumes.ts';
import type { ExplainDeps } from './explain-deps.ts';
import { mayReadAttachments, nameOfAttachment, readObject } from './read-attachments.ts';

/** Claims of a pod that are looked at, at most. */
const MOST_CLAIMS = 16;

const attachmentOf = async (deps: ExplainDeps, volume: KnownVolume['volume'], nodeName: string) => {
  if (!volume) return {};
  const [attachment, wait] = await Promise.all([
    readObject<VolumeAttachment>(deps, 'volumeattachments', nameOfAttachment(volume, nodeName)),
    deps.control.sighting({ topic: 'volume-wait', name: storedName(nodeName, waitForVolume(volume.name)) }),
  ]);
  return { attachment, elsewhereSince: wait?.uid === TOLD ? wait.since : undefined };
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
export const mayReadVolumes = async (deps: ExplainDeps, { metadata }: Pod): Promise<boolean> => {
  const claims = { group: '', resource: 'persistentvolumeclaims', name: '' } as const;
  const allowed = await Promise.all([
    deps.mayRead({ ...claims, namespace: metadata.namespace ?? '' }),
    mayReadAttachments(deps),
  ]);
  return allowed.every((one) => one);
};
