/** What a deletion does with the dependents of the deleted object. */
import type { ApiObject } from '../kube/types/meta.ts';

const FINALIZERS = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;
const OURS: readonly string[] = Object.values(FINALIZERS);

/** The fields of `DeleteOptions` that choose what happens to the dependents. */
export interface Propagation {
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
}

// The request takes precedence over an existing finalizer.
const wanted = (
  { orphanDependents, propagationPolicy }: Propagation,
  finalizers: readonly string[],
  orphansDependents: boolean,
): string | undefined => {
  if (orphanDependents !== undefined) return orphanDependents ? FINALIZERS.Orphan : undefined;
  if (propagationPolicy === 'Orphan' || propagationPolicy === 'Foreground')
    return FINALIZERS[propagationPolicy];
  if (propagationPolicy !== undefined) return undefined;
  return finalizers.find((one) => OURS.includes(one)) ?? (orphansDependents ? FINALIZERS.Orphan : undefined);
};

const withFinalizers = <T extends ApiObject>(object: T, finalizers: readonly string[]): T => {
  const { finalizers: _before, ...metadata } = object.metadata;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
};

/**
 * The object with the finalizer by which the garbage collector learns of the policy; the same object when nothing changes.
 * `orphansDependents`: what happens if neither the request nor the object says anything.
 * Source: apiserver v1.34 registry/generic/registry `deletionFinalizersForGarbageCollection`.
 */
export const withPropagation = <T extends ApiObject>(
  object: T,
  propagation: Propagation,
  orphansDependents = false,
): T => {
  const before = object.metadata.finalizers ?? [];
  const finalizer = wanted(propagation, before, orphansDependents);
  const others = before.filter((one) => !OURS.includes(one));
  const after = finalizer === undefined ? others : [...others, finalizer];
  const known = new Set(before);
  const isSame = after.length === before.length && after.every((one) => known.has(one));
  return isSame ? object : withFinalizers(object, after);
};
