import type { Node, Taint } from '../../kube/types/core.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';

/** Identity of a taint: key and effect, without value and time. */
export type TaintId = Pick<Taint, 'key' | 'effect'>;

const NO_TAINTS: readonly Taint[] = [];

/** Whether two taints are the same one: key and effect. Source: kubernetes v1.34 core/v1 `Taint.MatchTaint`. */
export const sameTaint = (a: TaintId, b: TaintId): boolean => a.key === b.key && a.effect === b.effect;

/** Whether the list has a taint with this key and effect. */
export const hasTaint = (taints: readonly Taint[], wanted: TaintId): boolean =>
  taints.some((taint) => sameTaint(taint, wanted));

const equalTaints = (a: Taint, b: Taint): boolean =>
  sameTaint(a, b) && (a.value ?? '') === (b.value ?? '') && a.timeAdded === b.timeAdded;

/**
 * Replaces the taint of the same key and effect in place, or appends; the same array when nothing changes.
 * Source: kubernetes v1.34 pkg/util/taints `AddOrUpdateTaint`.
 */
export const addOrUpdateTaint = (taints: readonly Taint[], taint: Taint): readonly Taint[] => {
  const index = taints.findIndex((present) => sameTaint(present, taint));
  const present = taints[index];
  if (present === undefined) return [...taints, taint];
  return equalTaints(present, taint) ? taints : taints.with(index, taint);
};

/** Removes by key and effect; the same array when it was not there. Source: kubernetes v1.34 `RemoveTaint`. */
export const removeTaint = (taints: readonly Taint[], unwanted: TaintId): readonly Taint[] =>
  hasTaint(taints, unwanted) ? taints.filter((taint) => !sameTaint(taint, unwanted)) : taints;

/** Keeps an existing taint with the same value, and so its `timeAdded`. */
const addTaint = (taints: readonly Taint[], taint: Taint, now: EpochMs): readonly Taint[] => {
  const present = taints.find((candidate) => sameTaint(candidate, taint));
  if (present !== undefined && (present.value ?? '') === (taint.value ?? '')) return taints;
  return addOrUpdateTaint(taints, { ...taint, timeAdded: toTime(now) });
};

/**
 * Adds, then removes; `timeAdded` of what is added is `now` (ms), the same array comes back when nothing changes.
 * Source: kubernetes v1.34 controller/util/node `SwapNodeControllerTaint`.
 */
export const swapTaints = (
  taints: readonly Taint[],
  add: readonly Taint[],
  remove: readonly TaintId[],
  now: EpochMs,
): readonly Taint[] => {
  const added = add.reduce((list, taint) => addTaint(list, taint, now), taints);
  return remove.reduce(removeTaint, added);
};

/** The taints that evict pods. Source: kubernetes v1.34 tainteviction `getNoExecuteTaints`. */
export const noExecuteTaints = (taints: readonly Taint[]): readonly Taint[] =>
  taints.filter((taint) => taint.effect === 'NoExecute');

/** The node's taints; always the same empty array if it has none. */
export const taintsOf = (node: Node): readonly Taint[] => node.spec?.taints ?? NO_TAINTS;

/** The node with these taints: the same object when the list is the same, without the field when the list is empty. */
export const withTaints = (node: Node, taints: readonly Taint[]): Node => {
  if (taints === taintsOf(node)) return node;
  if (taints.length > 0) return { ...node, spec: { ...node.spec, taints } };
  const { taints: _, ...spec } = node.spec ?? {};
  return { ...node, spec };
};

/** Stored facts of one NoExecute taint: `since` (ms, our clock) is when the node got it with this value. */
export interface NoExecuteTaint {
  readonly key: string;
  readonly value?: string;
  readonly since: EpochMs;
}

/** A NoExecute taint that the node no longer has: pods had to tolerate it from `since` until `goneAt` (ms, our clock). */
export interface FormerTaint extends NoExecuteTaint {
  readonly goneAt: EpochMs;
}

/** The NoExecute taints of a node, and the ones removed since the node last had none. */
export interface NoExecuteFacts {
  readonly noExecute: readonly NoExecuteTaint[];
  /** Oldest first, at most `MOST_FORMER_TAINTS`; absent for none. */
  readonly formerNoExecute?: readonly FormerTaint[];
}

/** Maximum number of former taints that are stored for a node. */
export const MOST_FORMER_TAINTS = 16;

type Tolerable = Pick<Taint, 'key' | 'value'>;

/** Tolerations match key and value, so a timer belongs to the pair. */
const sameToPods = (a: Tolerable, b: Tolerable): boolean =>
  a.key === b.key && (a.value ?? '') === (b.value ?? '');

/**
 * The facts of a node's NoExecute taints after a write at `now` (ms): a taint that keeps its value keeps its `since`; every
 * other one starts now, also if it replaces another. Only a stored deadline survives a swap, see `taint-eviction.ts`.
 */
export const carrySince = (
  before: readonly NoExecuteTaint[],
  after: readonly Taint[],
  now: EpochMs,
): readonly NoExecuteTaint[] =>
  noExecuteTaints(after).map((taint) => ({
    key: taint.key,
    ...optional('value', taint.value),
    since: before.find((fact) => sameToPods(fact, taint))?.since ?? now,
  }));

const formerTaints = (
  { noExecute, formerNoExecute = [] }: NoExecuteFacts,
  after: readonly NoExecuteTaint[],
  now: EpochMs,
): readonly FormerTaint[] => {
  const lost = noExecute.filter((fact) => !after.some((taint) => sameToPods(taint, fact)));
  return [...formerNoExecute, ...lost.map((fact) => ({ ...fact, goneAt: now }))].slice(-MOST_FORMER_TAINTS);
};

/**
 * The same together with the removed taints. They show whether a pod has had a taint to tolerate ever since its deadline
 * began, or whether the deadline should have been cancelled in between. They are dropped when the node has no NoExecute taint.
 */
export const noExecuteFacts = (
  before: NoExecuteFacts,
  taints: readonly Taint[],
  now: EpochMs,
): NoExecuteFacts => {
  const noExecute = carrySince(before.noExecute, taints, now);
  const former = noExecute.length === 0 ? [] : formerTaints(before, noExecute, now);
  return { noExecute, ...(former.length === 0 ? {} : { formerNoExecute: former }) };
};
