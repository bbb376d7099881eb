/** Owner edges: one stored item per owner reference, by which the dependents of an owner are found. */
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject, OwnerReference } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { daemonSummary } from '../workloads/daemon-set/daemon-summary.ts';

/** What an edge says besides its two ends: the flags of the owner reference. */
export interface EdgeFlags {
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
  /** What the owner's controller reads of the dependent, as text. Absent: it has to read the dependent. */
  readonly summary?: string;
}

/** The edge of one owner reference, without the object that carries it. */
export interface OwnerEdge extends EdgeFlags {
  /** Uid of the owner. */
  readonly owner: string;
}

/** What a write of an object does to its edges. */
export interface EdgeChange {
  /** Edges that are new, or have other flags or another summary. */
  readonly puts: readonly OwnerEdge[];
  /** Uids of owners that the object no longer names. */
  readonly removes: readonly string[];
}

/** An object before a write. */
export interface EdgeSource {
  readonly object: ApiObject;
  /** `false`: the object is older than the edges, so it has none yet. */
  readonly hasEdges: boolean;
}

/** Events are many and short-lived, and Kubernetes' garbage collector ignores them, too. */
const WITHOUT_EDGES: readonly string[] = ['events'];

const NO_EDGES: ReadonlyMap<string, OwnerEdge> = new Map();

/** A DaemonSet may have thousands of pods, and has to know all of them at each look. Other owners read theirs. */
const summaryOf = (
  resource: string,
  { kind, controller }: OwnerReference,
  object: ApiObject,
): string | undefined =>
  resource === 'pods' && kind === 'DaemonSet' && controller === true
    ? daemonSummary(object as Pod)
    : undefined;

/** One reference stands for all of the same uid: a flag that one of them sets holds. */
const joined = (
  edge: OwnerEdge | undefined,
  reference: OwnerReference,
  summary = edge?.summary,
): OwnerEdge => ({
  owner: reference.uid,
  controller: reference.controller === true || edge?.controller === true,
  blockOwnerDeletion: reference.blockOwnerDeletion === true || edge?.blockOwnerDeletion === true,
  ...optional('summary', summary),
});

/** The edges of an object, by the owner's uid. Objects of kinds without edges have none. */
export const edgesOf = (resource: string, object: ApiObject | undefined): ReadonlyMap<string, OwnerEdge> => {
  const references = object?.metadata.ownerReferences ?? [];
  if (!object || references.length === 0 || WITHOUT_EDGES.includes(resource)) return NO_EDGES;
  const edges = new Map<string, OwnerEdge>();
  for (const one of references)
    edges.set(one.uid, joined(edges.get(one.uid), one, summaryOf(resource, one, object)));
  return edges;
};

const isSame = (edge: OwnerEdge, other: OwnerEdge | undefined): boolean =>
  edge.controller === other?.controller &&
  edge.blockOwnerDeletion === other.blockOwnerDeletion &&
  edge.summary === other.summary;

/**
 * What the change from `before` to `after` does to the edges; `undefined`: nothing, as for every object without references.
 * `after` is `undefined` if the object is deleted.
 */
export const edgeChange = (
  resource: string,
  before: EdgeSource | undefined,
  after: ApiObject | undefined,
): EdgeChange | undefined => {
  const named = edgesOf(resource, before?.object);
  const stored = before?.hasEdges ? named : NO_EDGES;
  const wanted = edgesOf(resource, after);
  const puts = [...wanted.values()].filter((edge) => !isSame(edge, stored.get(edge.owner)));
  const removes = [...named.keys()].filter((owner) => !wanted.has(owner));
  return puts.length + removes.length === 0 ? undefined : { puts, removes };
};
