/** What a write of a Node or a Pod does to claims and counters, in its own transaction. */
import type { Node, Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { CapacityEffect, CapacityStore } from '../../ports/store/capacity.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import { claimOf, claimStep, resizedClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { capacityDigest } from '../../rules/scheduling/node-counters.ts';

/** A change of an object that is about to be committed. */
export interface PlannedChange {
  readonly key: ObjectKey;
  readonly before: ApiObject | undefined;
  /** `undefined`: the object is deleted. */
  readonly after: ApiObject | undefined;
}

/** The effect of a change on capacity; `undefined` if it has none. */
export type CapacityEffects = (change: PlannedChange, now: EpochMs) => Promise<CapacityEffect | undefined>;

const digestOf = (node: Node | undefined): string | null => (node ? capacityDigest(node) : null);

const nodeEffect = ({ key, before, after }: PlannedChange): CapacityEffect | undefined => {
  const digest = digestOf(after);
  return digest === digestOf(before) ? undefined : { node: key.name, claims: [], digest };
};

const resize = async (capacity: CapacityStore, pod: Pod): Promise<CapacityEffect | undefined> => {
  const { uid = '' } = pod.metadata;
  const node = pod.spec.nodeName ?? '';
  const [read] = await capacity.claimsOf(node, [uid]);
  const next = read && resizedClaim(read, pod);
  return next === read ? undefined : { node, claims: [{ uid, read, next }] };
};

const podEffect = async (
  capacity: CapacityStore,
  before: Pod | undefined,
  after: Pod,
  now: EpochMs,
): Promise<CapacityEffect | undefined> => {
  const step = claimStep(before, after);
  if (step === 'resize') return resize(capacity, after);
  if (step === undefined) return undefined;
  const claim = claimOf(after, now);
  return { node: after.spec.nodeName ?? '', claims: [{ uid: claim.uid, read: undefined, next: claim }] };
};

/** Makes an object writer keep claims and counters; it reads a claim only where a bound pod is resized. */
export const createCapacityEffects =
  (capacity: CapacityStore): CapacityEffects =>
  async (change, now) => {
    const { key, before, after } = change;
    if (key.resource === 'nodes') return nodeEffect(change);
    if (key.resource !== 'pods' || !after) return undefined;
    return podEffect(capacity, before as Pod | undefined, after as Pod, now);
  };
