import type { Toleration } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeHealthRow } from '../../rules/nodes/node-health.ts';
import type { NoExecuteFacts } from '../../rules/nodes/taints.ts';
import type { ShutdownFacts } from '../../rules/shutdown/shutdown-facts.ts';

/** A revision of a resource: the counter starts at epoch ms and increases by one. Never 0. */
export type Revision = number;

/** `namespace` is `''` for cluster-scoped resources. `resource` is the plural, such as `nodes`. */
export interface ObjectKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Data stored with a Node object: the fields of the `node-health` index, and fields that only the node's own row has. */
export interface NodeFacts extends Omit<NodeHealthRow, 'name' | 'uid'>, NoExecuteFacts {
  /** The monitor changed Ready from True to Unknown and it is still Unknown, so the node's pods are not ready. */
  readonly silenced?: true;
  /** The node registered itself or wrote to its own Node, so some machine has this node's credentials. */
  readonly isClaimed?: true;
  /** The shutdown that the node has reported; see `shutdownAt` for whether it goes on. */
  readonly shutdown?: ShutdownFacts;
}

/** The fields of a pod in the `pods-by-node`, `unbound-pods` and `terminated-pods` indexes. */
export interface PodFacts {
  /** `''` while the pod is not bound. */
  readonly nodeName: string;
  /** When `spec.nodeName` was written, by our clock. */
  readonly boundAt?: EpochMs;
  /** When the tolerations of the bound pod were last changed, by our clock. */
  readonly toleratedAt?: EpochMs;
  readonly tolerations: readonly Toleration[];
  readonly phase?: string;
  readonly deletionTimestamp?: string;
  /** `Kind/name` of the controlling owner. */
  readonly owner?: string;
  /** Of a pod that has ended: its place in the order in which such pods are deleted, see `terminatedPlace`. */
  readonly terminatedPlace?: string;
}

/** Data that is stored beside an object, by its kind. */
export interface Facts {
  readonly node?: NodeFacts;
  readonly pod?: PodFacts;
  /** The object has owner references, and its owner edges are stored. */
  readonly hasEdges?: true;
}

/** An object as stored. `metadata.resourceVersion` of `object` equals `revision`. */
export interface LiveRow {
  readonly state: 'live';
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
  readonly object: ApiObject;
  readonly facts: Facts;
  /** When the object expires; the row is removed some time later. Absent: never. */
  readonly expiresAt?: EpochMs;
}

/** A deleted object. It is kept for a day, so that a late create with a lower revision fails. */
export interface Marker {
  readonly state: 'marker';
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
}

/** A stored row: a live object, or the marker of a deleted one. */
export type Row = LiveRow | Marker;

/** Condition on the row of an object. */
export type RowCheck =
  /** The row is live and has this revision. */
  | { readonly key: ObjectKey; readonly revision: Revision }
  /** The row is absent, a marker, or of another uid. */
  | { readonly key: ObjectKey; readonly goneUid: string }
  /** The row is absent or a marker; with `lastUid` only a marker of that uid (`''`: none). */
  | { readonly key: ObjectKey; readonly isGone: true; readonly lastUid?: string };

/** The condition that the row is still absent (`''`), or still the marker of the object with this uid. */
export const goneSince = (key: ObjectKey, lastUid = ''): RowCheck => ({ key, isGone: true, lastUid });

/** The row if its object is there; `undefined` for a marker and for no row. */
export const liveRow = (row: Row | undefined): LiveRow | undefined =>
  row?.state === 'live' ? row : undefined;

/** The key of the Namespace with this name. */
export const namespaceKey = (name: string): ObjectKey => ({ resource: 'namespaces', namespace: '', name });

/** The key of the Node with this name. */
export const nodeKey = (name: string): ObjectKey => ({ resource: 'nodes', namespace: '', name });

/** The key of the PersistentVolume with this name. */
export const volumeKey = (name: string): ObjectKey => ({
  resource: 'persistentvolumes',
  namespace: '',
  name,
});

/** The key of a PersistentVolumeClaim. */
export const claimKey = (namespace = '', name = ''): ObjectKey => ({
  resource: 'persistentvolumeclaims',
  namespace,
  name,
});
