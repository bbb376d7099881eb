import type { PersistentVolume, VolumeAttachment } from '../../../shared/kube/types/storage.ts';
import { EBS_DRIVER } from '../../../shared/rules/attachments/attacher.ts';
import { aVolume } from './storage-objects.ts';

/** The volume `pv-<name>` of the disk `vol-<name>`. */
export const anEbsVolume = (name: string): PersistentVolume =>
  aVolume(`pv-${name}`, {
    accessModes: ['ReadWriteOnce'],
    csi: { driver: EBS_DRIVER, volumeHandle: `vol-${name}` },
  });

/** The VolumeAttachment `<node>-<volume>` of `pv-<volume>`. */
export const anEbsAttachment = (volume: string, nodeName: string): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: `${nodeName}-${volume}`, uid: `va-${nodeName}-${volume}` },
  spec: { attacher: EBS_DRIVER, nodeName, source: { persistentVolumeName: `pv-${volume}` } },
  status: { attached: false },
});
