import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../../../../shared/kube/types/storage.ts';
import type { Workload } from '../../../../../shared/kube/types/workloads.ts';
import {
  decideStatefulSet,
  type StatefulSetStep,
} from '../../../../../shared/rules/workloads/stateful-set/stateful-set.ts';
import {
  claimsFor,
  withRetention,
} from '../../../../../shared/rules/workloads/stateful-set/stateful-set-claims.ts';
import {
  claimEvent,
  podEvent,
} from '../../../../../shared/rules/workloads/stateful-set/stateful-set-events.ts';
import {
  memberPod,
  ordinalOf,
  type SetRevision,
  setRevision,
} from '../../../../../shared/rules/workloads/stateful-set/stateful-set-pods.ts';
import { withStatefulSetStatus } from '../../../../../shared/rules/workloads/stateful-set/stateful-set-status.ts';
import { anOwnedPod, aWorkload, referenceTo } from '../../../../support/objects/workload-objects.ts';

const NOW = 1_000_000_000;
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});
const OLD: SetRevision = { name: 'db-old', template: template('img:1') };
const NEW: SetRevision = { name: 'db-new', template: template('img:2') };

const aSet = (spec: Workload['spec'] = {}, status?: Workload['status']): Workload =>
  aWorkload({ kind: 'StatefulSet', name: 'db', spec, ...(status ? { status } : {}) });
const set = aSet();

/** `3+` is ready, `3` is not, `3-` leaves, `3!` has failed, `3?` is pending; `o` in front: of the old revision. */
const aPod = (text: string): Pod => {
  const ordinal = text.match(/\d+/)?.[0] ?? '0';
  const name = `db-${ordinal}`;
  const pod = anOwnedPod({
    name,
    owner: set,
    labels: {
      app: 'web',
      'controller-revision-hash': text.startsWith('o') ? OLD.name : NEW.name,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': ordinal,
    },
    ...(text.endsWith('?') ? {} : { nodeName: 'n1' }),
    ...(text.endsWith('!') ? { phase: 'Failed' as const } : {}),
    ...(/[+-]$/.test(text) ? { readySince: NOW - 50_000 } : {}),
    ...(text.endsWith('-') ? { deletedAt: NOW } : {}),
  });
  return pod;
};

const told = (step: StatefulSetStep): string => {
  const { name } = step.pod.metadata;
  if (step.do === 'create') {
    const revision = step.pod.metadata.labels?.['controller-revision-hash'] === OLD.name ? ' old' : '';
    return `create ${name}${revision}${step.claims.map(({ metadata }) => ` ${metadata.name}`).join('')}`;
  }
  if (step.do === 'claim') return `claim ${step.claim.metadata.name}`;
  if (step.do === 'own') return `own ${step.claim.metadata.name}`;
  return `${step.do} ${name}`;
};

const decide = (spec: Workload['spec'], pods: string, claims: readonly PersistentVolumeClaim[] = []) =>
  decideStatefulSet(
    {
      set: aSet(spec),
      pods: pods === '' ? [] : pods.split(' ').map(aPod),
      claims: new Map(claims.map((claim) => [claim.metadata.name, claim])),
      current: OLD,
      update: NEW,
    },
    NOW,
  ).map(told);

const parallel = { podManagementPolicy: 'Parallel' };
const rolling = (partition: number) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
});
const onDelete = { updateStrategy: { type: 'OnDelete' } };

describe('decideStatefulSet', () => {
  it.each([
    ['the first pod', {}, '', ['create db-0']],
    ['the next one after a ready one', {}, '0+', ['create db-1']],
    ['waits for one that is not ready', {}, '0', []],
    ['waits for one that is pending', {}, '0?', []],
    ['waits for one that leaves', {}, '0-', []],
    ['a gap', {}, '0+ 2+', ['create db-1']],
    ['a gap behind one that is not ready', {}, '0+ 1 ', []],
    ['one that has failed', {}, '0+ 1! 2+', ['delete db-1']],
    ['not ready for long enough', { minReadySeconds: 60 }, '0+', []],
    ['ready for long enough', { minReadySeconds: 50 }, '0+', ['create db-1']],
    ['from another ordinal', { ordinals: { start: 5 } }, '5+', ['create db-6']],
    ['all are there', {}, '0+ 1+ 2+', []],
  ])('in order: %s (W-131, W-140, W-142)', (_what, spec, pods, steps) => {
    expect(decide({ replicas: 3, ...spec }, pods.trim())).toEqual(steps);
  });

  it.each([
    ['all that are missing', '1', ['create db-0', 'create db-2']],
    ['no second pod of a name while one leaves', '0- 1', ['create db-2']],
    ['one that has failed', '0! 1', ['delete db-0', 'create db-2']],
    ['too many, whatever their state', '0 1 2 3 4- 5+', ['delete db-5', 'delete db-3']],
  ])('in parallel: %s (W-141 to W-144)', (_what, pods, steps) => {
    expect(decide({ replicas: 3, ...parallel }, pods)).toEqual(steps);
  });

  it.each([
    ['the greatest ordinal first', '0+ 1+ 2+', ['delete db-2']],
    ['waits while one leaves', '0+ 1+ 2-', []],
    ['waits while a wanted one is not ready', '0 1+ 2+', []],
    ['waits for a condemned one if another one is broken', '0+ 1 2', []],
    ['but not for the first broken one', '0+ 1+ 2', ['delete db-2']],
    ['nor for the only one of them', '0+ 1', ['delete db-1']],
  ])('scales down in order: %s (W-144)', (_what, pods, steps) => {
    expect(decide({ replicas: 1 }, pods)).toEqual(steps);
  });

  it('ordinals that are no longer wanted go, too, when the start moves (W-131, W-144)', () => {
    expect(decide({ replicas: 2, ordinals: { start: 1 } }, '0+ 1+ 2+')).toEqual(['delete db-0']);
  });

  it.each([
    ['the greatest ordinal first', rolling(0), 'o0+ o1+ o2+', ['delete db-2']],
    ['waits for the one before', rolling(0), 'o0+ o1+ 2', []],
    ['goes on when it is ready', rolling(0), 'o0+ o1+ 2+', ['delete db-1']],
    ['down to the partition', rolling(2), 'o0+ o1+ 2+', []],
    ['a partition beyond all pods', rolling(9), 'o0+ o1+ o2+', []],
    ['a missing pod below the partition is of the current revision', rolling(2), 'o0+', ['create db-1 old']],
    ['a missing pod above it is of the update revision', rolling(1), 'o0+', ['create db-1']],
    ['nothing with OnDelete', onDelete, 'o0+ o1+ o2+', []],
    ['a missing pod with OnDelete', onDelete, 'o0+ o1+', ['create db-2']],
    ['one at a time also in parallel', { ...rolling(0), ...parallel }, 'o0+ o1+ o2+', ['delete db-2']],
    ['not while one leaves, in parallel', { ...rolling(0), ...parallel }, 'o0+ o1+ o2-', []],
    ['not the one that is deleted anyway', { ...rolling(0), ...parallel }, 'o0+ o1+ o2!', ['delete db-2']],
  ])('updates: %s (W-139, W-145)', (_what, spec, pods, steps) => {
    expect(decide({ replicas: 3, ...spec }, pods)).toEqual(steps);
  });

  it('counts the partition from the first ordinal (W-139, W-145)', () => {
    expect(decide({ replicas: 2, ordinals: { start: 5 }, ...rolling(1) }, 'o5+ o6+')).toEqual([
      'delete db-6',
    ]);
    expect(decide({ replicas: 2, ordinals: { start: 5 }, ...rolling(1) }, '')).toEqual(['create db-5 old']);
  });

  it('puts labels back that tell a name (W-133)', () => {
    const { metadata, ...pod } = aPod('0+');
    const bare = { ...pod, metadata: { ...metadata, labels: { app: 'web' } } };
    const view = { set: aSet({ replicas: 1, ...onDelete }), claims: new Map(), current: OLD, update: NEW };
    expect(decideStatefulSet({ ...view, pods: [bare] }, NOW).map(told)).toEqual(['relabel db-0']);
  });

  it('does nothing while it is being deleted (W-146)', () => {
    const leaving = aWorkload({ kind: 'StatefulSet', name: 'db', deletedAt: NOW });
    const view = { set: leaving, pods: [aPod('0!')], claims: new Map(), current: OLD, update: NEW };
    expect(decideStatefulSet(view, NOW)).toEqual([]);
  });
});

const storage = {
  volumeClaimTemplates: [
    { metadata: { name: 'data' }, spec: {} },
    { metadata: { name: 'log' }, spec: {} },
  ],
};
const policy = (whenDeleted: 'Retain' | 'Delete', whenScaled: 'Retain' | 'Delete') => ({
  ...storage,
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
});
const aClaim = (
  name: string,
  metadata: Partial<PersistentVolumeClaim['metadata']> = {},
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}`, ...metadata },
});
const ofPod = (uid: string) => ({
  ownerReferences: [
    { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid, controller: true, blockOwnerDeletion: true },
  ],
});
const both = [aClaim('data-db-0'), aClaim('log-db-0')];

describe('claims of a StatefulSet', () => {
  it.each([
    ['are created with the pod', {}, '', [], ['create db-0 data-db-0 log-db-0']],
    ['that are there are used', {}, '', both, ['create db-0']],
    ['that a pending pod lacks are created', {}, '0?', [aClaim('log-db-0')], ['claim data-db-0']],
    ['that a running pod lacks are not', {}, '0+', [aClaim('log-db-0')], []],
    ['that are being deleted', {}, '', [aClaim('log-db-0', { deletionTimestamp: 'x' })], ['wait db-0']],
    ['of an earlier pod', policy('Retain', 'Delete'), '', [aClaim('log-db-0', ofPod('old'))], ['wait db-0']],
    [
      'of an earlier pod that stay',
      policy('Retain', 'Retain'),
      '',
      [aClaim('log-db-0', ofPod('old'))],
      ['create db-0 data-db-0'],
    ],
    ['get their owner', policy('Delete', 'Retain'), '0+', both, ['own data-db-0', 'own log-db-0']],
  ])('%s (W-135 to W-137)', (_what, spec, pods, claims, steps) => {
    expect(decide({ replicas: 1, ...storage, ...onDelete, ...spec }, pods, claims)).toEqual(steps);
  });

  it('belong to a pod that is scaled away before it is deleted (W-136)', () => {
    expect(decide({ replicas: 0, ...policy('Retain', 'Delete') }, '0+', both)).toEqual([
      'own data-db-0',
      'own log-db-0',
      'delete db-0',
    ]);
  });

  const pod = aPod('0+');
  const other = { apiVersion: 'v1', kind: 'Thing', name: 't', uid: 't', controller: true };
  const foreign = { ...other, controller: false };
  const byPod = ofPod('uid-of-db-0').ownerReferences[0];
  const bySet = referenceTo(set);
  it.each([
    ['Retain', 'Retain', false, [], []],
    ['Retain', 'Retain', true, [bySet, byPod], []],
    ['Delete', 'Retain', false, [], [bySet]],
    ['Delete', 'Retain', true, [], [bySet]],
    ['Retain', 'Delete', false, [byPod], []],
    ['Retain', 'Delete', true, [], [byPod]],
    ['Delete', 'Delete', false, [byPod], [bySet]],
    ['Delete', 'Delete', true, [bySet], [byPod]],
    ['Delete', 'Delete', false, [{ ...bySet, controller: false }], [bySet]],
    ['Delete', 'Delete', false, [foreign], [foreign, bySet]],
    ['Delete', 'Delete', false, [other], [other]],
    ['Delete', 'Delete', false, [other, bySet], [other]],
    ['Delete', 'Delete', false, [{ ...bySet, uid: 'earlier' }], [{ ...bySet, uid: 'earlier' }]],
  ] as const)(
    'owner with whenDeleted %s, whenScaled %s, scaled away %s (W-136, W-138)',
    (deleted, scaled, isAway, before, after) => {
      const references = before.flatMap((one) => one ?? []);
      const claim = aClaim('data-db-0', references.length === 0 ? {} : { ownerReferences: references });
      const next = withRetention(aSet(policy(deleted, scaled)), pod, claim, isAway);
      expect(next.metadata.ownerReferences ?? []).toEqual(after);
      expect(withRetention(aSet(policy(deleted, scaled)), pod, next, isAway)).toBe(next);
    },
  );

  it('have the labels of the template and of the selector (W-135)', () => {
    const labelled = { volumeClaimTemplates: [{ metadata: { name: 'data', labels: { a: 'b', app: 'x' } } }] };
    expect(claimsFor(aSet(labelled), 3)[0]?.metadata).toEqual({
      name: 'data-db-3',
      namespace: 'default',
      labels: { a: 'b', app: 'web' },
      finalizers: ['kubernetes.io/pvc-protection'],
    });
  });
});

describe('pods of a StatefulSet', () => {
  it.each([
    ['db-0', 0],
    ['db-12', 12],
    ['db-012', undefined],
    ['db-', undefined],
    ['db--1', undefined],
    ['db-2147483648', undefined],
    ['other-db-1', undefined],
    ['db', undefined],
  ])('%s has the ordinal %s (W-130)', (name, ordinal) => {
    expect(ordinalOf(set, anOwnedPod({ name }))).toBe(ordinal);
  });

  it('have volumes for their claims before those of the template, which give way (W-134)', () => {
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ];
    const revision = { name: 'r', template: { spec: { volumes } } };
    expect(memberPod(aSet(storage), revision, 1).spec['volumes']).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } },
      { name: 'log', persistentVolumeClaim: { claimName: 'log-db-1' } },
      { name: 'tmp', emptyDir: {} },
    ]);
  });

  it('come from the template that a revision stores, without its directive (W-132)', () => {
    const data = { spec: { template: { ...template('img:9'), $patch: 'replace' } } };
    const stored = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, data };
    expect(setRevision(set, stored)).toEqual({ name: 'r', template: template('img:9') });
    expect(setRevision(set, { ...stored, data: {} }).template).toEqual(set.spec?.template);
  });
});

describe('withStatefulSetStatus', () => {
  const revisions = { current: OLD.name, update: NEW.name, collisionCount: 0 };
  const statusOf = (spec: Workload['spec'], pods: string) =>
    withStatefulSetStatus(aSet(spec), pods.split(' ').map(aPod), revisions, NOW).status;
  const names = {
    observedGeneration: 1,
    currentRevision: OLD.name,
    updateRevision: NEW.name,
    collisionCount: 0,
  };

  it('counts pods (W-147)', () => {
    expect(statusOf({ replicas: 5, minReadySeconds: 60 }, 'o0+ o1- 2+ 3 4?')).toEqual({
      ...names,
      replicas: 5,
      availableReplicas: 0,
      readyReplicas: 3,
      currentReplicas: 1,
      updatedReplicas: 3,
    });
  });

  it.each([
    ['all are ready and updated', {}, '0+ 1+', NEW.name, 2],
    ['one is not ready', {}, '0+ 1', OLD.name, undefined],
    ['one is old', {}, 'o0+ 1+', OLD.name, 1],
    ['there are more than wanted', {}, '0+ 1+ 2+', OLD.name, undefined],
    ['the strategy is OnDelete', onDelete, '0+ 1+', OLD.name, undefined],
  ])('ends an update when %s (W-148)', (_what, spec, pods, currentRevision, currentReplicas) => {
    const status = statusOf({ replicas: 2, ...spec }, pods);
    expect([status?.['currentRevision'], status?.['currentReplicas']]).toEqual([
      currentRevision,
      currentReplicas,
    ]);
  });

  it('is the same object when nothing changes (W-147)', () => {
    const before = withStatefulSetStatus(set, [aPod('0+')], revisions, NOW);
    expect(withStatefulSetStatus(before, [aPod('0+')], revisions, NOW)).toBe(before);
  });
});

describe('events of a StatefulSet', () => {
  it.each([
    [
      podEvent('delete', 'db-0', 'db'),
      'Normal SuccessfulDelete delete Pod db-0 in StatefulSet db successful',
    ],
    [
      podEvent('update', 'db-0', 'db', 'no'),
      'Warning FailedUpdate update Pod db-0 in StatefulSet db failed error: no',
    ],
    [
      claimEvent('c', 'db-0', 'db'),
      'Normal SuccessfulCreate create Claim c Pod db-0 in StatefulSet db success',
    ],
    [
      claimEvent('c', 'db-0', 'db', 'no'),
      'Warning FailedCreate create Claim c for Pod db-0 in StatefulSet db failed error: no',
    ],
  ])('%s (W-146)', ({ type, reason, message }, text) => {
    expect(`${type} ${reason} ${message}`).toBe(text);
  });
});
