/** The Lease by which a node says that it is there. Source: kubernetes v1.34 component-helpers `lease`, `SetNodeOwnerFunc`. */
import type { Lease } from '../../../shared/kube/types/coordination.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import { type EpochMs, toMicroTime } from '../../../shared/kube/values/time.ts';

export interface LeaseSettings {
  readonly nodeName: string;
  readonly durationSeconds: number;
}

const newLease = (nodeName: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: nodeName, namespace: NODE_LEASE_NAMESPACE },
  spec: { holderIdentity: nodeName },
});

/** Whether the Lease belongs to no Node yet, so that it would outlive its own. */
export const needsOwner = (base: Lease | undefined): boolean =>
  (base?.metadata.ownerReferences ?? []).length === 0;

/**
 * The Lease to write: `base` renewed at `now`, or a new one. The holder of a Lease that is there is never changed. `nodeUid`: the uid
 * of the Node, for a Lease that needs an owner.
 */
export const renewedLease = (
  base: Lease | undefined,
  { nodeName, durationSeconds }: LeaseSettings,
  now: EpochMs,
  nodeUid?: string,
): Lease => {
  const lease = base ?? newLease(nodeName);
  return {
    ...lease,
    metadata: {
      ...lease.metadata,
      ...(nodeUid !== undefined && {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid }],
      }),
    },
    spec: { ...lease.spec, leaseDurationSeconds: durationSeconds, renewTime: toMicroTime(now) },
  };
};

/** The part of the Lease's duration after which it is renewed. */
const RENEW_PART = 0.25;

export const renewIntervalMs = (durationSeconds: number): number => durationSeconds * 1000 * RENEW_PART;

/** The part of the interval by which a pause may be longer, so that nodes do not write all at once. */
const JITTER = 0.04;

/** The pause between two renewals. `chance` is from 0 up to 1. */
export const renewPauseMs = (intervalMs: number, chance: number): number =>
  intervalMs * (1 + JITTER * chance);
