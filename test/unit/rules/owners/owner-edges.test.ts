import { describe, expect, it } from 'vitest';
import type { ApiObject, OwnerReference } from '../../../../shared/kube/types/meta.ts';
import { type EdgeSource, edgeChange, edgesOf } from '../../../../shared/rules/owners/owner-edges.ts';

const owner = (uid: string, flags: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...flags,
});

const owned = (...ownerReferences: readonly OwnerReference[]): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', uid: 'c-uid', ...(ownerReferences.length > 0 ? { ownerReferences } : {}) },
});

const stored = (object: ApiObject, hasEdges = true): EdgeSource => ({ object, hasEdges });
const edge = (uid: string, controller = false, blockOwnerDeletion = false) => ({
  owner: uid,
  controller,
  blockOwnerDeletion,
});

const FREE = owned();
const BY_A = owned(owner('a'));

describe('what a write does to the owner edges', () => {
  it.each<[string, EdgeSource | undefined, ApiObject | undefined, ReturnType<typeof edgeChange>]>([
    ['K-21 nothing without references: created', undefined, FREE, undefined],
    ['K-21 nothing without references: changed', stored(FREE, false), FREE, undefined],
    ['K-21 nothing without references: deleted', stored(FREE, false), undefined, undefined],
    ['K-21 a new object', undefined, BY_A, { puts: [edge('a')], removes: [] }],
    ['K-22 nothing while the references stay', stored(BY_A), owned(owner('a', { name: 'b' })), undefined],
    [
      'K-23 owners that come and go',
      stored(owned(owner('a'), owner('b'))),
      owned(owner('b'), owner('c')),
      { puts: [edge('c')], removes: ['a'] },
    ],
    [
      'K-23 a flag that changes',
      stored(BY_A),
      owned(owner('a', { controller: true, blockOwnerDeletion: true })),
      { puts: [edge('a', true, true)], removes: [] },
    ],
    [
      'K-23 a flag that is set to its default',
      stored(BY_A),
      owned(owner('a', { controller: false })),
      undefined,
    ],
    [
      'K-24 the object goes',
      stored(owned(owner('a'), owner('b'))),
      undefined,
      { puts: [], removes: ['a', 'b'] },
    ],
    [
      'K-26 an object that is older than edges',
      stored(BY_A, false),
      BY_A,
      { puts: [edge('a')], removes: [] },
    ],
    ['K-26 an older object goes', stored(BY_A, false), undefined, { puts: [], removes: ['a'] }],
  ])('%s', (_, before, after, expected) => {
    expect(edgeChange('configmaps', before, after)).toEqual(expected);
  });

  describe('with a DaemonSet (K-29)', () => {
    const reference = owner('d', { kind: 'DaemonSet', controller: true });
    const daemon = (
      phase: string,
      more: object = {},
    ): ApiObject & { readonly spec: object; readonly status: object } => ({
      ...owned(reference),
      kind: 'Pod',
      spec: { nodeName: 'n1' },
      status: { phase, ...more },
    });
    const summaryIn = (object: ApiObject | undefined) => edgesOf('pods', object).get('d')?.summary;

    it('puts the edge again when the summary of the pod changes', () => {
      const [before, after] = [daemon('Pending'), daemon('Running')];
      const summary = summaryIn(after);
      expect(summary).toContain('Running');
      expect(edgeChange('pods', stored(before), after)).toEqual({
        puts: [{ ...edge('d', true), summary }],
        removes: [],
      });
    });

    it('leaves the edge when something else of the pod changes', () => {
      expect(
        edgeChange('pods', stored(daemon('Running')), daemon('Running', { podIP: '10.0.0.1' })),
      ).toBeUndefined();
    });

    it('has a summary only of pods, and only for their controller', () => {
      const uncontrolled = {
        ...daemon('Running'),
        metadata: owned(owner('d', { kind: 'DaemonSet' })).metadata,
      };
      const ofOther = {
        ...daemon('Running'),
        metadata: owned({ ...reference, kind: 'ReplicaSet' }).metadata,
      };
      expect([uncontrolled, ofOther].map(summaryIn)).toEqual([undefined, undefined]);
      expect(edgesOf('configmaps', daemon('Running')).get('d')?.summary).toBeUndefined();
    });
  });

  it('is nothing for Events (K-27)', () => {
    expect(edgeChange('events', undefined, BY_A)).toBeUndefined();
    expect(edgesOf('events', BY_A).size).toBe(0);
  });

  it('puts one edge for two references of one uid, with the flags of both (K-28)', () => {
    const twice = owned(owner('a', { controller: true }), owner('a', { blockOwnerDeletion: true }));
    expect(edgeChange('pods', undefined, twice)).toEqual({ puts: [edge('a', true, true)], removes: [] });
  });
});
