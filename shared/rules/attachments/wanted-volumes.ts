/** Which volumes the pods of a node want there. Source: kubernetes v1.34 pkg/controller/volume/attachdetach/util, pkg/volume/util. */
import type { Pod } from '../../kube/types/core.ts';
import type { CSIDriver, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import { isFinished } from '../pods/deletion.ts';
import type { PodVolume } from '../scheduling/pods/scheduling-spec.ts';
import { schedulingSpec } from '../scheduling/pods/scheduling-spec.ts';
import { claimNameOf, isClaim, isOwnedBy } from '../scheduling/pods/storage.ts';
import { type AttachableVolume, needsAttachment, uniqueNameOf } from './attachable.ts';

/** A volume that pods want at their node. */
export interface WantedVolume {
  readonly volume: AttachableVolume;
  readonly pods: readonly Pod[];
}

/** The objects that pods name. */
export interface AttachmentView {
  /** By `namespace/name`. */
  readonly claim: (path: string) => PersistentVolumeClaim | undefined;
  /** By the name of the PersistentVolume. */
  readonly volume: (name: string) => AttachableVolume | undefined;
  readonly driver: (name: string) => CSIDriver | undefined;
}

/** What the pods of a node want. */
export interface Wanted {
  /** By unique name. */
  readonly volumes: ReadonlyMap<string, WantedVolume>;
  /** `namespace/name` of claims that are not bound to a volume yet. */
  readonly unbound: ReadonlySet<string>;
}

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

interface ContainerStatus {
  readonly state?: { readonly terminated?: object; readonly waiting?: object };
}

const runs = ({ state }: ContainerStatus): boolean => !state?.terminated && !state?.waiting;

const hasRunningContainer = ({ status }: Pod): boolean =>
  LISTS.some((list) => ((status?.[list] ?? []) as readonly ContainerStatus[]).some(runs));

/** Whether the pod is done with its volumes: it has ended, or it is being deleted and no container of it is said to run. */
export const hasLeftVolumes = (pod: Pod): boolean =>
  isFinished(pod) || (pod.metadata.deletionTimestamp !== undefined && !hasRunningContainer(pod));

/** The volumes of the pod that are claims. */
const claimVolumes = (pod: Pod): readonly PodVolume[] => (schedulingSpec(pod).volumes ?? []).filter(isClaim);

/** Whether the pod has claims, and wants their volumes at its node. */
export const wantsVolumes = (pod: Pod): boolean =>
  (pod.spec.nodeName ?? '') !== '' && claimVolumes(pod).length > 0 && !hasLeftVolumes(pod);

/** `namespace/name` of each claim of the pod. */
export const claimPathsOf = (pod: Pod): readonly string[] =>
  claimVolumes(pod).map(
    (volume) => `${pod.metadata.namespace ?? ''}/${claimNameOf(volume, pod.metadata.name)}`,
  );

/** The claim of a volume; the one of an ephemeral volume must have been made for this pod. */
const claimOfVolume = (
  pod: Pod,
  volume: PodVolume,
  path: string,
  view: AttachmentView,
): PersistentVolumeClaim | undefined => {
  const claim = view.claim(path);
  const isForeign = claim !== undefined && !volume.persistentVolumeClaim && !isOwnedBy(claim, pod);
  return isForeign ? undefined : claim;
};

/** The name of the volume that the claim is bound to; `''`: none. */
export const boundVolumeOf = (claim: PersistentVolumeClaim | undefined): string =>
  claim?.status?.phase === 'Bound' ? (claim.spec?.volumeName ?? '') : '';

/** What the pods, which want their volumes, have at their node by the right of their claims. */
export const wantedVolumes = (pods: readonly Pod[], view: AttachmentView): Wanted => {
  const volumes = new Map<string, { volume: AttachableVolume; pods: Pod[] }>();
  const unbound = new Set<string>();
  const want = (pod: Pod, podVolume: PodVolume): void => {
    const path = `${pod.metadata.namespace ?? ''}/${claimNameOf(podVolume, pod.metadata.name)}`;
    const claim = claimOfVolume(pod, podVolume, path, view);
    const volume = view.volume(boundVolumeOf(claim));
    if (!claim || boundVolumeOf(claim) === '') unbound.add(path);
    if (!volume || volume.claimUid !== claim?.metadata.uid || !needsAttachment(view.driver(volume.driver)))
      return;
    const name = uniqueNameOf(volume);
    const wanted = volumes.get(name) ?? { volume, pods: [] };
    if (!wanted.pods.includes(pod)) wanted.pods.push(pod);
    volumes.set(name, wanted);
  };
  for (const pod of pods) for (const volume of claimVolumes(pod)) want(pod, volume);
  return { volumes, unbound };
};
