/** Claims and volumes for tests of the agent. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';

/** The claim `c` of the namespace `default`, bound to the volume `pv`. */
export const boundPair = (
  source: object,
  claim: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): { readonly claims: readonly PersistentVolumeClaim[]; readonly volumes: readonly PersistentVolume[] } => ({
  claims: [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'default', uid: 'uid-c', ...claim.metadata },
      spec: { volumeName: 'pv', ...claim.spec },
      status: { phase: 'Bound', ...claim.status },
    },
  ],
  volumes: [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef: { namespace: 'default', name: 'c', uid: 'uid-c' },
        ...source,
      },
    },
  ],
});
