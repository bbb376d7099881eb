/** What a deletion does with the dependents of the deleted object. */
import type { ApiObject } from '../api/meta.ts';

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
): string | undefined => {
  if (orphanDependents !== undefined) return orphanDependents ? FINALIZERS.Orphan : undefined;
  if (propagationPolicy === 'Orphan' || propagationPolicy === 'Foreground')
    return FINALIZERS[propagationPolicy];
  return propagationPolicy === undefined ? finalizers.find((one) => OURS.includes(one)) : undefined;
};

const withFinalizers = <T extends ApiObject>(object: T, finalizers: readonly string[]): T => {
  const { finalizers: _before, ...metadata } = object.metadata;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
};

/**
 * The object with the finalizer by which a garbage collector learns of the policy; the same object when nothing changes.
 * Source: apiserver v1.34 registry/generic/registry `deletionFinalizersForGarbageCollection`.
 */
export const withPropagation = <T extends ApiObject>(object: T, propagation: Propagation): T => {
  const before = object.metadata.finalizers ?? [];
  const finalizer = wanted(propagation, before);
  const others = before.filter((one) => !OURS.includes(one));
  const after = finalizer === undefined ? others : [...others, finalizer];
  const known = new Set(before);
  const isSame = after.length === before.length && after.every((one) => known.has(one));
  return isSame ? object : withFinalizers(object, after);
};

/** The object without both finalizers, as after a garbage collector that found no dependents. */
export const withoutPropagation = <T extends ApiObject>(object: T): T =>
  withPropagation(object, { propagationPolicy: 'Background' });
