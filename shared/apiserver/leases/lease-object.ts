/** Converts Leases between their wire form and the heartbeat item that stores them. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import type { ObjectMeta } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime, toTime } from '../../kube/values/time.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { HeartbeatItem, StoredLease } from '../../ports/store/heartbeats.ts';

/** The kind Lease and its resource. */
export const LEASE_KIND: ServedKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  resource: 'leases',
  namespaced: true,
};

/** The schema of Lease bodies. */
export const LEASE_SCHEMA = kindSchema('coordination.v1.Lease');

type StoredMetadata = StoredLease['metadata'];

const STORED = ['generateName', 'labels', 'annotations', 'ownerReferences', 'finalizers'] as const;

const storedMetadata = (metadata: ObjectMeta): StoredMetadata =>
  Object.fromEntries(
    STORED.flatMap((part) => (metadata[part] === undefined ? [] : [[part, metadata[part]]])),
  );

/** The Lease of a heartbeat item; `undefined` when it has none. */
export const leaseOf = ({ namespace, name, lease, version }: HeartbeatItem): Lease | undefined =>
  lease && {
    kind: LEASE_KIND.kind,
    apiVersion: 'coordination.k8s.io/v1',
    metadata: {
      name,
      namespace,
      uid: lease.uid,
      resourceVersion: String(version ?? 0),
      creationTimestamp: toTime(lease.createdAt),
      ...lease.metadata,
    },
    spec: lease.spec,
  };

/** A Lease in its stored form. A new one gets uid and creation time here; for a renewal the store keeps its own. */
export const storedLease = ({ metadata, spec = {} }: Lease, ids: IdSource, now: EpochMs): StoredLease => ({
  uid: metadata.uid ?? ids.uuid(),
  createdAt: parseTime(metadata.creationTimestamp ?? '') ?? now,
  spec,
  metadata: storedMetadata(metadata),
});

/** Drops the fields of coordinated leader election, which Kubernetes has disabled by default. */
export const withoutElection = <T extends Lease>(lease: T): T => {
  if (!lease.spec) return lease;
  const { strategy: _strategy, preferredHolder: _holder, ...spec } = lease.spec as Record<string, unknown>;
  return { ...lease, spec };
};
