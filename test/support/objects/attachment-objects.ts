import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';
import { aClaim, aVolume, refTo } from './storage-objects.ts';

export const DRIVER = 'd.example.com';

/** The name by which kubelets know the volume that `aCsiVolume` makes. */
export const uniqueName = (name: string): string => `kubernetes.io/csi/${DRIVER}^handle-${name}`;

/** The volume `pv-<name>` with the handle `handle-<name>`, bound to `pvc-<name>`. */
export const aCsiVolume = (name: string, modes: readonly string[] = ['ReadWriteOnce']): PersistentVolume =>
  aVolume(
    `pv-${name}`,
    {
      accessModes: modes,
      csi: { driver: DRIVER, volumeHandle: `handle-${name}` },
      claimRef: refTo(`pvc-${name}`),
    },
    { status: { phase: 'Bound' } },
  );

/** The claim `pvc-<name>`, bound to `pv-<name>`. */
export const aBoundClaim = (name: string): PersistentVolumeClaim =>
  aClaim(`pvc-${name}`, { volumeName: `pv-${name}` }, { status: { phase: 'Bound' } });

/** A running pod in `default` with the claims `pvc-<volume>`. Its uid is `p-<name>`. */
export const aUser = (
  name: string,
  nodeName: string,
  volumes: readonly string[],
  given: Partial<Pod> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...given,
  metadata: { name, namespace: 'default', uid: `p-${name}`, ...given.metadata },
  spec: {
    nodeName,
    volumes: volumes.map((volume) => ({
      name: volume,
      persistentVolumeClaim: { claimName: `pvc-${volume}` },
    })),
    ...given.spec,
  },
  status: given.status ?? {
    phase: 'Running',
    containerStatuses: [{ name: 'c', state: { running: {} } }],
  },
});

/** A Node whose volumes the controller attaches. */
export const aManagedNode = (
  name: string,
  { ready = 'True', inUse = [] as readonly string[], isOut = false, attached = [] as readonly string[] } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    uid: `n-${name}`,
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
  },
  spec: isOut ? { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } : {},
  status: {
    conditions: [{ type: 'Ready', status: ready as 'True' }],
    ...(inUse.length > 0 ? { volumesInUse: inUse.map(uniqueName) } : {}),
    ...(attached.length > 0
      ? { volumesAttached: attached.map((one) => ({ name: uniqueName(one), devicePath: '' })) }
      : {}),
  },
});
