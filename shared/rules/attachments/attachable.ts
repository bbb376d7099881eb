/** Which volumes are attached to nodes, and by which names. Source: kubernetes v1.34 pkg/volume/csi, pkg/volume/util. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { CSIDriver, PersistentVolume, VolumeAttachment } from '../../kube/types/storage.ts';

/** A PersistentVolume of a CSI driver. */
export interface AttachableVolume {
  /** Name of the PersistentVolume. */
  readonly name: string;
  readonly driver: string;
  readonly handle: string;
  /** Only one node may have it at a time. */
  readonly isExclusive: boolean;
  /** Uid of the claim that it is bound to; `''` if there is none. */
  readonly claimUid: string;
}

/** The annotation of nodes whose kubelet leaves it to the controller to attach volumes. */
const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';
const SHARED_MODES: ReadonlySet<string> = new Set(['ReadWriteMany', 'ReadOnlyMany']);

interface CsiSource {
  readonly driver?: string;
  readonly volumeHandle?: string;
}

/** Whether a volume with these access modes may be at one node only. Without any mode nobody knows, and the driver decides. */
const isForOneNode = (modes: readonly string[]): boolean =>
  modes.length > 0 && !modes.some((mode) => SHARED_MODES.has(mode));

/** The volume as it is attached; `undefined` if it is not one of a CSI driver. */
export const attachableOf = ({ metadata, spec }: PersistentVolume): AttachableVolume | undefined => {
  const source = spec?.['csi'] as CsiSource | undefined;
  const { driver = '', volumeHandle: handle = '' } = source ?? {};
  if (driver === '' || handle === '') return undefined;
  const isExclusive = isForOneNode(spec?.accessModes ?? []);
  return { name: metadata.name, driver, handle, isExclusive, claimUid: spec?.claimRef?.uid ?? '' };
};

/** The name by which kubelets know the volume. */
export const uniqueNameOf = ({ driver, handle }: Pick<AttachableVolume, 'driver' | 'handle'>): string =>
  `kubernetes.io/csi/${driver}^${handle}`;

/** The driver and the handle in a name that `uniqueNameOf` has made; `undefined` for another one. */
export const volumeOfUniqueName = (name: string): Pick<AttachableVolume, 'driver' | 'handle'> | undefined => {
  const [, driver, handle] = /^kubernetes\.io\/csi\/([^^]+)\^(.+)$/s.exec(name) ?? [];
  return driver === undefined || handle === undefined ? undefined : { driver, handle };
};

/** The name of the VolumeAttachment of a volume and a node. `sha256` returns hexadecimal digits. */
export const attachmentNameOf = (
  { driver, handle }: Pick<AttachableVolume, 'driver' | 'handle'>,
  nodeName: string,
  sha256: (text: string) => string,
): string => `csi-${sha256(`${handle}${driver}${nodeName}`)}`;

/** Whether volumes of the driver have to be attached; so do those of a driver that has no CSIDriver. */
export const needsAttachment = (driver: CSIDriver | undefined): boolean =>
  driver?.spec?.['attachRequired'] !== false;

/** Whether the node's kubelet leaves it to the controller to attach volumes. */
export const isManaged = ({ metadata }: Node): boolean => ownMember(metadata.annotations, MANAGED) === 'true';

/** Whether the volume is at its node, and no end of that has begun. */
export const isAttached = ({ metadata, status }: VolumeAttachment): boolean =>
  status?.attached === true && metadata.deletionTimestamp === undefined;

/** A new VolumeAttachment, which a driver's attacher acts on. */
export const newAttachment = (
  name: string,
  { driver, name: persistentVolumeName }: AttachableVolume,
  nodeName: string,
  made: { readonly uid: string; readonly creationTimestamp: string },
): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name, ...made },
  spec: { attacher: driver, nodeName, source: { persistentVolumeName } },
  status: { attached: false },
});
