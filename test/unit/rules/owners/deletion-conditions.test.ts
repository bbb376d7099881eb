import { describe, expect, it } from 'vitest';
import type { Namespace } from '../../../../shared/kube/types/core.ts';
import { withDeletionConditions } from '../../../../shared/rules/owners/deletion-conditions.ts';
import type { KindLeft } from '../../../../shared/rules/owners/namespace-content.ts';

const AT = Date.parse('2026-03-01T12:00:00Z');
const LATER = AT + 60_000;

const NAMESPACE: Namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns1', deletionTimestamp: '2026-03-01T12:00:00Z' },
  status: { phase: 'Terminating' },
};

const aKind = (
  resource: string,
  { group = '', ...given }: Partial<Omit<KindLeft, 'kind'>> & { readonly group?: string } = {},
): KindLeft => ({
  kind: { group, version: 'v1', resource },
  left: 0,
  finalizers: new Map(),
  seconds: 0,
  ...given,
});

const said = (namespace: Namespace): readonly string[] =>
  (namespace.status?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  );

const FINE = [
  'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered',
  'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed',
  'NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization',
  'NamespaceContentRemaining False ContentRemoved: All content successfully removed',
  'NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished',
];

const LEFT = [
  aKind('secrets', { left: 2, finalizers: new Map([['a/b', 1]]) }),
  aKind('deployments', {
    group: 'apps',
    left: 1,
    finalizers: new Map([
      ['a/b', 1],
      ['A/c', 1],
    ]),
  }),
];

describe('withDeletionConditions', () => {
  it('says five times that nothing is wrong (K-46)', () => {
    expect(said(withDeletionConditions(NAMESPACE, [aKind('secrets')], AT))).toEqual(FINE);
  });

  it('says what is left, and which finalizers hold it, in order (K-47)', () => {
    expect(said(withDeletionConditions(NAMESPACE, LEFT, AT)).slice(3)).toEqual([
      'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: deployments.apps has 1 resource instances, secrets. has 2 resource instances',
      'NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: A/c in 1 resource instances, a/b in 2 resource instances',
    ]);
  });

  it('says the same while only pods were looked at, unlike Kubernetes (K-48)', () => {
    const finalizers = new Map([['batch.kubernetes.io/job-tracking', 2]]);
    const pods = aKind('pods', { left: 2, seconds: 30, finalizers });
    expect(said(withDeletionConditions(NAMESPACE, [pods], AT)).slice(3)).toEqual([
      'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: pods. has 2 resource instances',
      'NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: batch.kubernetes.io/job-tracking in 2 resource instances',
    ]);
  });

  it('says what could not be deleted (K-47)', () => {
    const kinds = [aKind('b', { error: 'two' }), aKind('a', { error: 'one' })];
    expect(said(withDeletionConditions(NAMESPACE, kinds, AT))[2]).toBe(
      'NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: one, two',
    );
  });

  it('changes the time only of a condition whose status changes, and nothing if there is nothing new (K-49)', () => {
    const first = withDeletionConditions(NAMESPACE, LEFT, AT);
    expect(withDeletionConditions(first, LEFT, LATER)).toBe(first);
    const fewer = withDeletionConditions(first, LEFT.slice(1), LATER);
    expect(said(fewer)[3]).not.toBe(said(first)[3]);
    const times = (namespace: Namespace) =>
      namespace.status?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime);
    expect(times(fewer)).toEqual(times(first));
    const gone = withDeletionConditions(fewer, [aKind('secrets')], LATER);
    expect(said(gone)).toEqual(FINE);
    expect(times(gone)?.map((time) => time?.slice(14, 16))).toEqual(['00', '00', '00', '01', '01']);
  });

  it('sets the phase, and keeps conditions of others (K-49)', () => {
    const other = { type: 'Other', status: 'True' } as const;
    const given = { ...NAMESPACE, status: { phase: 'Active', conditions: [other] } };
    const { status } = withDeletionConditions(given, [], AT);
    expect([status?.phase, status?.conditions?.[0], status?.conditions?.length]).toEqual([
      'Terminating',
      other,
      6,
    ]);
  });
});
