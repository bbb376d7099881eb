import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { Propagation } from '../../../shared/rules/propagation.ts';
import { withPropagation } from '../../../shared/rules/propagation.ts';

const held = (...finalizers: readonly string[]): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: finalizers.length === 0 ? { name: 'n' } : { name: 'n', finalizers },
});

describe("a deletion's policy", () => {
  it.each<[Propagation, readonly string[], readonly string[] | undefined]>([
    [{}, [], undefined],
    [{}, ['a/b'], ['a/b']],
    [{}, ['orphan', 'a/b'], ['orphan', 'a/b']],
    [{}, ['foregroundDeletion'], ['foregroundDeletion']],
    [{ propagationPolicy: 'Foreground' }, ['a/b'], ['a/b', 'foregroundDeletion']],
    [{ propagationPolicy: 'Foreground' }, ['orphan'], ['foregroundDeletion']],
    [{ propagationPolicy: 'Orphan' }, ['foregroundDeletion'], ['orphan']],
    [{ propagationPolicy: 'Background' }, ['orphan', 'a/b', 'foregroundDeletion'], ['a/b']],
    [{ orphanDependents: true }, [], ['orphan']],
    [{ orphanDependents: false }, ['orphan'], undefined],
  ])('%j changes the finalizers %j to %j', (propagation, before, after) => {
    expect(withPropagation(held(...before), propagation).metadata.finalizers).toEqual(after);
  });

  it('that changes nothing gives the same object (A-10)', () => {
    const object = held('orphan', 'a/b');
    expect(withPropagation(object, { propagationPolicy: 'Orphan' })).toBe(object);
  });

  it('that is not named is Orphan for kinds that orphan by default, unless the object says otherwise (A-10)', () => {
    const finalizersOf = (propagation: Propagation, ...before: readonly string[]) =>
      withPropagation(held(...before), propagation, true).metadata.finalizers;
    expect(finalizersOf({})).toEqual(['orphan']);
    expect(finalizersOf({}, 'foregroundDeletion')).toEqual(['foregroundDeletion']);
    expect(finalizersOf({ propagationPolicy: 'Background' })).toBeUndefined();
    expect(finalizersOf({ orphanDependents: false })).toBeUndefined();
  });
});
