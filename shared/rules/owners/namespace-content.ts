/**
 * What is left in a namespace that is being deleted, and when to look again. Source: kubernetes v1.34
 * pkg/controller/namespace/deletion/namespaced_resources_deleter.go, pkg/controller/namespace/namespace_controller.go.
 */

import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isFinished } from '../pods/deletion.ts';
import type { NamespacedKind } from './stored-kinds.ts';

/** Seconds from the deletion of a namespace to the first look, and from a change of its status to the next one. */
export const SETTLE_SECONDS = 5;
/** Seconds after which objects with finalizers are expected to be gone. */
const FINALIZER_SECONDS = 15;
/** Waits between looks that failed. */
const RETRY: BackOffDelays = { firstMs: 1_000, mostMs: 60_000 };

/** What a look found of one kind, after it has deleted all objects of the kind. */
export interface KindLeft {
  readonly kind: NamespacedKind;
  readonly left: number;
  /** How many of them have each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Seconds after which they are expected to be gone; 0: nobody can say. */
  readonly seconds: number;
  /** Why not all of them were deleted. */
  readonly error?: string;
}

/**
 * Seconds that pods may need to end: the longest grace period of those that have not ended; 0 once it has passed since the deletion of
 * the namespace.
 */
export const graceOfPods = (pods: readonly Pod[], deletedAt: EpochMs, now: EpochMs): number => {
  const graces = pods
    .filter((pod) => !isFinished(pod))
    .map(({ spec }) => spec.terminationGracePeriodSeconds ?? 0);
  const longest = Math.max(0, ...graces);
  return now - deletedAt >= longest * 1000 ? 0 : longest;
};

const finalizersOf = (objects: readonly Pick<ApiObject, 'metadata'>[]): ReadonlyMap<string, number> => {
  const all = objects.flatMap(({ metadata }) => metadata.finalizers ?? []);
  return new Map([...Map.groupBy(all, (one) => one)].map(([name, some]) => [name, some.length]));
};

/** As Go prints a GroupVersionResource. */
const textOf = ({ group, version, resource }: NamespacedKind): string =>
  `${group}/${version}, Resource=${resource}`;

/**
 * Judges the objects of a kind that are still there although all were deleted. `graceSeconds`: what they may need to end. Objects without
 * finalizers that had their time are an error.
 */
export const judgeLeft = (
  namespace: string,
  kind: NamespacedKind,
  objects: readonly Pick<ApiObject, 'metadata'>[],
  graceSeconds: number,
): KindLeft => {
  const finalizers = finalizersOf(objects);
  const found = { kind, left: objects.length, finalizers };
  if (objects.length === 0) return { ...found, seconds: 0 };
  if (graceSeconds > 0) return { ...found, seconds: graceSeconds };
  if (finalizers.size > 0) return { ...found, seconds: FINALIZER_SECONDS };
  const error = `unexpected items still remain in namespace: ${namespace} for gvr: ${textOf(kind)}`;
  return { ...found, seconds: 0, error };
};

/**
 * Seconds until the next look; `undefined`: nothing is left. `hasChanged`: the look changed the status of the namespace. `failures`:
 * looks in a row before this one that failed.
 */
export const nextLookSeconds = (
  kinds: readonly KindLeft[],
  { hasChanged, failures }: { readonly hasChanged: boolean; readonly failures: number },
): number | undefined => {
  const seconds = Math.max(0, ...kinds.map((one) => one.seconds));
  const hasFailed = kinds.some(({ error }) => error !== undefined);
  if (!hasFailed && seconds === 0) return undefined;
  const again = hasFailed ? backOff(RETRY, failures) / 1000 : Math.floor(seconds / 2) + 1;
  return hasChanged ? Math.min(SETTLE_SECONDS, again) : again;
};
