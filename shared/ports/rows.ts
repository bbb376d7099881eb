import type { Toleration } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import type { EpochMs } from '../api/time.ts';
import type { NodeHealthRow } from '../domain/nodes/node-health.ts';
import type { NoExecuteFacts } from '../domain/nodes/taints.ts';

/** A number of a resource's revision space: seeded with epoch ms, then counted up by one. Never 0. */
export type Revision = number;

/** `namespace` is `''` for cluster-scoped resources. `resource` is the plural, such as `nodes`. */
export interface ObjectKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What is stored of a node beside the object: what the `node-health` index holds, and what only the node's own row has. */
export interface NodeFacts extends Omit<NodeHealthRow, 'name' | 'uid'>, NoExecuteFacts {
  /** The monitor turned Ready from True to Unknown, and Unknown it has been ever since: its pods are not ready. */
  readonly silenced?: true;
  /** The node registered itself or wrote to its own Node: some machine has credentials of its own for it. */
  readonly isClaimed?: true;
}

/** What the `pods-by-node` and `unbound-pods` indexes hold of a pod. */
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
}

export interface Facts {
  readonly node?: NodeFacts;
  readonly pod?: PodFacts;
}

/** An object as stored. `metadata.resourceVersion` of `object` equals `revision`. */
export interface LiveRow {
  readonly state: 'live';
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
  readonly object: ApiObject;
  readonly facts: Facts;
  /** When the object ends; the row goes some time after that. Absent: never. */
  readonly expiresAt?: EpochMs;
}

/** What a deleted object leaves for a day, so that a late create cannot slip in below its deletion. */
export interface Marker {
  readonly state: 'marker';
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
}

export type Row = LiveRow | Marker;

/** The row if its object is there; `undefined` for a marker and for no row. */
export const liveRow = (row: Row | undefined): LiveRow | undefined =>
  row?.state === 'live' ? row : undefined;

export const nodeKey = (name: string): ObjectKey => ({ resource: 'nodes', namespace: '', name });
