import { describe, expect, it } from 'vitest';
import type { Namespace, Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject, ObjectMeta } from '../../../../shared/kube/types/meta.ts';
import { collected, freed } from '../../../../shared/rules/owners/collect.ts';
import {
  blocksDeletionOf,
  decideGarbage,
  type GarbageDecision,
  type OwnerState,
  ownerState,
  unblockedOwners,
  withoutFinalizer,
  withoutOwners,
} from '../../../../shared/rules/owners/garbage.ts';

const NOW = 1_700_000_000_000;
const object = (metadata: Partial<ObjectMeta> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', uid: 'c-uid', ...metadata },
});
const DELETED = { deletionTimestamp: '2026-01-05T00:00:00Z', deletionGracePeriodSeconds: 0 };
const reference = (uid: string, blockOwnerDeletion?: boolean) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'o',
  uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
});

describe('the state of an owner', () => {
  it.each<[string, ApiObject | undefined, OwnerState]>([
    ['absent', undefined, 'dangling'],
    ['another object of its name', object({ uid: 'other' }), 'dangling'],
    ['there', object(), 'solid'],
    ['being deleted, without a policy', object(DELETED), 'solid'],
    ['being deleted, its dependents left', object({ ...DELETED, finalizers: ['orphan'] }), 'solid'],
    [
      'being deleted in the foreground',
      object({ ...DELETED, finalizers: ['foregroundDeletion'] }),
      'waiting',
    ],
    ['held for later, but not being deleted', object({ finalizers: ['foregroundDeletion'] }), 'solid'],
  ])('%s (K-32)', (_, found, state) => {
    expect(ownerState(found, 'c-uid')).toBe(state);
  });
});

describe('what happens to a dependent', () => {
  const states = (...given: readonly OwnerState[]) =>
    new Map(given.map((state, n): [string, OwnerState] => [`o${n}`, state]));
  const KEEP: GarbageDecision = { action: 'keep' };
  const remove = (policy: 'Background' | 'Foreground' | 'Orphan'): GarbageDecision => ({
    action: 'delete',
    policy,
  });

  it.each<[string, ApiObject, readonly OwnerState[], boolean, GarbageDecision]>([
    ['K-33 no owners', object(), [], false, KEEP],
    ['K-33 being deleted already', object(DELETED), ['dangling'], true, KEEP],
    ['K-34 solid owners', object(), ['solid', 'solid'], true, KEEP],
    ['K-34 one solid, one gone', object(), ['dangling', 'solid'], false, { action: 'cut', owners: ['o0'] }],
    [
      'K-34 one solid, others not',
      object(),
      ['solid', 'waiting', 'dangling'],
      true,
      { action: 'cut', owners: ['o1', 'o2'] },
    ],
    ['K-35 all gone', object(), ['dangling', 'dangling'], true, remove('Background')],
    [
      'K-35 gone, and to be deleted in the foreground',
      object({ finalizers: ['foregroundDeletion'] }),
      ['dangling'],
      true,
      remove('Foreground'),
    ],
    [
      'K-35 gone, and to leave its dependents',
      object({ finalizers: ['orphan'] }),
      ['dangling'],
      true,
      remove('Orphan'),
    ],
    ['K-36 an owner waits, no dependents', object(), ['waiting'], false, remove('Background')],
    ['K-36 an owner waits, own dependents', object(), ['waiting', 'dangling'], true, remove('Foreground')],
  ])('%s', (_, dependent, owners, hasDependents, decision) => {
    expect(decideGarbage(dependent, states(...owners), hasDependents)).toEqual(decision);
  });
});

describe('what a deletion by the collector makes of an object (K-37)', () => {
  const pod = (nodeName?: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', uid: 'p-uid' },
    spec: { containers: [], terminationGracePeriodSeconds: 30, ...(nodeName ? { nodeName } : {}) },
  });
  const namespace = (name: string): Namespace => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid: 'n-uid' },
    spec: { finalizers: ['kubernetes'] },
  });

  it.each([
    ['a free object goes', 'configmaps', object(), 'Background', { next: 'delete' }],
    [
      'one with a finalizer is marked',
      'configmaps',
      object({ finalizers: ['a.b/c'] }),
      'Background',
      { next: { metadata: { deletionTimestamp: expect.any(String), finalizers: ['a.b/c'] } } },
    ],
    [
      'in the foreground it waits',
      'configmaps',
      object(),
      'Foreground',
      { next: { metadata: { deletionTimestamp: expect.any(String), finalizers: ['foregroundDeletion'] } } },
    ],
    [
      'a bound pod has its grace period',
      'pods',
      pod('n1'),
      'Background',
      { next: { metadata: { deletionGracePeriodSeconds: 30 } } },
    ],
    ['a pod without a node goes', 'pods', pod(), 'Background', { next: 'delete' }],
    [
      'a namespace is marked',
      'namespaces',
      namespace('x'),
      'Background',
      { next: { status: { phase: 'Terminating' } } },
    ],
  ] as const)('%s', (_, resource, given, policy, expected) => {
    expect(collected(resource, given, policy, NOW)).toMatchObject(expected);
  });

  it('a built-in namespace stays', () => {
    expect(collected('namespaces', namespace('kube-system'), 'Background', NOW)).toBeUndefined();
  });

  it.each([
    ['goes', 'configmaps', object(DELETED), 'delete'],
    [
      'stays with another finalizer',
      'configmaps',
      object({ ...DELETED, finalizers: ['a.b/c'] }),
      object({ ...DELETED, finalizers: ['a.b/c'] }),
    ],
    [
      'stays in its grace period',
      'pods',
      object({ ...DELETED, deletionGracePeriodSeconds: 30 }),
      object({ ...DELETED, deletionGracePeriodSeconds: 30 }),
    ],
    ['stays while the namespace is not empty', 'namespaces', namespace('x'), namespace('x')],
  ] as const)('without its last finalizer an object %s', (_, resource, given, next) => {
    expect(freed(resource, given)).toEqual({ next });
  });
});

describe('references and finalizers (K-38)', () => {
  const owned = object({ ownerReferences: [reference('a', true), reference('b'), reference('c', false)] });

  it('only blockOwnerDeletion keeps an owner', () => {
    expect(['a', 'b', 'c', 'd'].filter((uid) => blocksDeletionOf(owned, uid))).toEqual(['a']);
  });

  it('are removed without a trace', () => {
    expect(withoutOwners(owned, ['a', 'c']).metadata.ownerReferences).toEqual([reference('b')]);
    expect(withoutOwners(owned, ['a', 'b', 'c']).metadata).not.toHaveProperty('ownerReferences');
    expect(withoutOwners(owned, ['d'])).toBe(owned);
    const held = object({ finalizers: ['orphan', 'a.b/c'] });
    expect(withoutFinalizer(held, 'orphan').metadata.finalizers).toEqual(['a.b/c']);
    expect(withoutFinalizer(object({ finalizers: ['orphan'] }), 'orphan').metadata).not.toHaveProperty(
      'finalizers',
    );
    expect(withoutFinalizer(held, 'x')).toBe(held);
  });

  it.each([
    ['an object that is gone', undefined, ['a']],
    ['a reference that is gone', object(), ['a']],
    ['a flag that is gone', object({ ownerReferences: [reference('a', false)] }), ['a']],
    ['a reference that stays', owned, []],
  ])('free an owner by %s', (_, after, freed) => {
    expect(unblockedOwners(owned, after).map(({ uid }) => uid)).toEqual(freed);
  });
});
