import type { Node, Taint } from '../../api/core.ts';
import { type EpochMs, toTime } from '../../api/time.ts';

/** Identity of a taint: the value and the time do not belong to it. */
export type TaintId = Pick<Taint, 'key' | 'effect'>;

const NO_TAINTS: readonly Taint[] = [];

/** Whether two taints are the same one: key and effect. Source: kubernetes v1.34 core/v1 `Taint.MatchTaint`. */
export const sameTaint = (a: TaintId, b: TaintId): boolean => a.key === b.key && a.effect === b.effect;

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

/** A taint that is there with the same value is kept, and with it the time it was added. */
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

export const taintsOf = (node: Node): readonly Taint[] => node.spec?.taints ?? NO_TAINTS;

/** The node with these taints: the same object when they are its own list, without the field when there are none. */
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

/** The NoExecute taints of a node, and those that it lost since it last had none. */
export interface NoExecuteFacts {
  readonly noExecute: readonly NoExecuteTaint[];
  /** Oldest first, at most `MOST_FORMER_TAINTS`; absent for none. */
  readonly formerNoExecute?: readonly FormerTaint[];
}

/** A node whose taints are swapped again and again remembers this many. */
export const MOST_FORMER_TAINTS = 16;

type Tolerable = Pick<Taint, 'key' | 'value'>;

/** Tolerations look at key and value, so a timer belongs to both. */
const sameToPods = (a: Tolerable, b: Tolerable): boolean =>
  a.key === b.key && (a.value ?? '') === (b.value ?? '');

/**
 * The facts of a node's NoExecute taints after a write at `now` (ms): a taint that stays with its value keeps its instant,
 * every other one begins now, also where it replaces another. Only a stored deadline survives a swap, see `taint-eviction.ts`.
 */
export const carrySince = (
  before: readonly NoExecuteTaint[],
  after: readonly Taint[],
  now: EpochMs,
): readonly NoExecuteTaint[] =>
  noExecuteTaints(after).map((taint) => ({
    key: taint.key,
    ...(taint.value === undefined ? {} : { value: taint.value }),
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
 * The same with what the node lost: it shows whether a pod had to tolerate something all the time since its deadline
 * began, or whether the deadline should have ended in between. A node without NoExecute taints forgets.
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
