import type { Node, Taint } from '../api/core.ts';
import { type EpochMs, toTime } from '../api/time.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../api/well-known.ts';

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

/** Stored facts of one NoExecute taint: `since` (ms, our clock) is when pods began to have to tolerate it. */
export interface NoExecuteTaint {
  readonly key: string;
  readonly value?: string;
  readonly since: EpochMs;
}

const OPPOSITE: Readonly<Record<string, string>> = {
  [TAINT_NOT_READY]: TAINT_UNREACHABLE,
  [TAINT_UNREACHABLE]: TAINT_NOT_READY,
};

const sinceOf = (key: string, before: readonly NoExecuteTaint[]): EpochMs | undefined =>
  before.find((fact) => fact.key === key)?.since;

/**
 * The facts of a node's NoExecute taints after a write at `now` (ms): a key that stays keeps its instant, so does one
 * that is swapped between not-ready and unreachable; a new key begins now.
 * Source: kubernetes v1.34 tainteviction keeps a pod's timer over such a swap, as the taints never vanish in between.
 */
export const carrySince = (
  before: readonly NoExecuteTaint[],
  after: readonly Taint[],
  now: EpochMs,
): readonly NoExecuteTaint[] =>
  noExecuteTaints(after).map(({ key, value }) => ({
    key,
    ...(value === undefined ? {} : { value }),
    since: sinceOf(key, before) ?? sinceOf(OPPOSITE[key] ?? key, before) ?? now,
  }));
