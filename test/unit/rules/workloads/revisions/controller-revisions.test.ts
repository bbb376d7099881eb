import { describe, expect, it } from 'vitest';
import type { ControllerRevision, PodTemplateSpec } from '../../../../../shared/kube/types/workloads.ts';
import {
  hashOfRevision,
  inRevisionOrder,
  newRevision,
  planRevisions,
  revisionData,
  revisionHash,
  STATEFUL_SET_REVISIONS,
  surplusRevisions,
} from '../../../../../shared/rules/workloads/revisions/controller-revisions.ts';
import { aWorkload, referenceTo } from '../../../../support/objects/workload-objects.ts';

const template = (app: string, image: string): PodTemplateSpec => ({
  spec: {
    terminationGracePeriodSeconds: 30,
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'c',
        image,
        imagePullPolicy: 'IfNotPresent',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
  },
  metadata: { labels: { app } },
});

const owner = aWorkload({ kind: 'DaemonSet', spec: { template: template('web', 'img:1') } });

interface Parts {
  readonly image?: string;
  readonly of?: typeof owner;
  readonly labels?: Record<string, string>;
  readonly createdAt?: string;
}

const aRevision = (name: string, revision: number, parts: Parts = {}): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    labels: parts.labels ?? { app: 'web' },
    ...(parts.createdAt ? { creationTimestamp: parts.createdAt } : {}),
    ...(parts.of ? { ownerReferences: [referenceTo(parts.of)] } : {}),
  },
  data: revisionData(template('web', parts.image ?? 'img:0')),
  revision,
});
const names = (revisions: readonly ControllerRevision[]) => revisions.map(({ metadata }) => metadata.name);

describe('the data of a revision', () => {
  it('is a patch that replaces the template, with members in order (W-100)', () => {
    const data = JSON.stringify(revisionData({ spec: { b: 1, a: [{ d: 1, c: 2 }] }, metadata: {} }));
    expect(data).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"a":[{"c":2,"d":1}],"b":1}}}}',
    );
  });

  it.each([
    ['db', 'img:1', '57657fb944'],
    ['db', 'img:2', '568b88879c'],
    ['par', 'img:1', '5cd55d4869'],
  ])('of %s with %s has the hash that a real controller computed (W-101)', (app, image, hash) => {
    expect(revisionHash(revisionData(template(app, image)), 0)).toBe(hash);
    expect(revisionHash(revisionData(template(app, image)), 1)).not.toBe(hash);
  });

  it.each([
    ['escapes of Go', { a: '<b> & "c" \u2028é' }, '8796b8f67'],
    ['members named like numbers', { a10: 1, 9: 2, 10: 3 }, '74488c94dc'],
  ])('is hashed as Go writes it: %s (W-101)', (_what, annotations, hash) => {
    expect(revisionHash(revisionData({ metadata: { annotations: annotations as never } }), 0)).toBe(hash);
  });
});

describe('planRevisions', () => {
  it('orders by number, then age, then name (W-102)', () => {
    const revisions = [
      aRevision('b', 2, { createdAt: '2026-01-02T00:00:00Z' }),
      aRevision('d', 2, { createdAt: '2026-01-01T00:00:00Z' }),
      aRevision('c', 2, { createdAt: '2026-01-01T00:00:00Z' }),
      aRevision('a', 3),
      aRevision('e', 1),
    ];
    expect(names(inRevisionOrder(revisions))).toEqual(['e', 'c', 'd', 'b', 'a']);
  });

  it('asks for a new revision with the next number if none has the template (W-103)', () => {
    expect(planRevisions(owner, [])).toMatchObject({ number: 1, old: [], duplicates: [] });
    const plan = planRevisions(owner, [aRevision('b', 7, { of: owner }), aRevision('a', 2, { of: owner })]);
    expect(plan.current).toBeUndefined();
    expect([plan.number, names(plan.old)]).toEqual([8, ['a', 'b']]);
  });

  it.each([
    ['the newest one stays as it is', 5, 4, 5],
    ['an older one gets the next number: a rollback', 2, 4, 5],
    ['one with the number of another gets the next number', 4, 4, 5],
  ])('finds the revision of the template: %s (W-103)', (_what, number, other, expected) => {
    const same = aRevision('same', number, { of: owner, image: 'img:1' });
    const plan = planRevisions(owner, [same, aRevision('other', other, { of: owner })]);
    expect(plan).toMatchObject({ number: expected, current: same });
  });

  it('keeps the newest of several revisions of the template (W-103)', () => {
    const twins = [3, 1, 2].map((n) => aRevision(`r${n}`, n, { of: owner, image: 'img:1' }));
    const plan = planRevisions(owner, twins);
    expect([plan.current?.metadata.name, names(plan.duplicates), plan.number]).toEqual([
      'r3',
      ['r1', 'r2'],
      3,
    ]);
  });

  it('adopts and releases revisions like other children (W-104)', () => {
    const other = aWorkload({ kind: 'DaemonSet', name: 'other' });
    const plan = planRevisions(owner, [
      aRevision('orphan', 3, { image: 'img:1' }),
      aRevision('foreign', 9, { of: other }),
      aRevision('relabelled', 8, { of: owner, labels: {} }),
    ]);
    expect([names(plan.claims.adopt), names(plan.claims.release)]).toEqual([['orphan'], ['relabelled']]);
    expect([plan.current?.metadata.name, plan.number, plan.old]).toEqual(['orphan', 3, []]);
  });
});

describe('newRevision', () => {
  it('names its owner, and has the labels of the template and the annotations of the owner (W-106)', () => {
    const annotated = { ...owner, metadata: { ...owner.metadata, annotations: { note: 'x' } } };
    const plan = planRevisions(annotated, []);
    const hash = revisionHash(plan.data, 0);
    const revision = newRevision(annotated, plan, STATEFUL_SET_REVISIONS, undefined);
    expect(revision).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `web-${hash}`,
        namespace: 'default',
        labels: { app: 'web', 'controller.kubernetes.io/hash': hash },
        annotations: { note: 'x' },
        ownerReferences: [referenceTo(annotated)],
      },
      data: plan.data,
      revision: 1,
    });
    expect(hashOfRevision(revision, STATEFUL_SET_REVISIONS)).toBe(hash);
    expect(hashOfRevision(aRevision('old-name', 1), STATEFUL_SET_REVISIONS)).toBe('old-name');
  });

  it('has another name after a collision, and one that is short enough (W-106)', () => {
    const long = aWorkload({ kind: 'StatefulSet', name: 'n'.repeat(250) });
    const plan = planRevisions(long, []);
    const [first, second] = [undefined, 1].map(
      (count) => newRevision(long, plan, STATEFUL_SET_REVISIONS, count).metadata.name,
    );
    expect(first).not.toBe(second);
    expect(first).toMatch(/^n{223}-[b-z2-9]{8,10}$/);
  });
});

describe('surplusRevisions', () => {
  const old = [1, 2, 3, 4].map((n) => aRevision(`r${n}`, n));
  const live = ({ metadata }: ControllerRevision) => metadata.name === 'r1';
  const keeping = (revisionHistoryLimit: number) =>
    aWorkload({ kind: 'DaemonSet', spec: { revisionHistoryLimit } });

  it.each([
    ['live ones count, and stay', 2, true, ['r2', 'r3']],
    ['live ones do not count, and stay', 2, false, ['r2']],
    ['none is kept', 0, true, ['r2', 'r3', 'r4']],
    ['all fit', 4, true, []],
  ])('%s (W-107)', (_what, limit, countsLive, expected) => {
    expect(names(surplusRevisions(keeping(limit), old, live, countsLive))).toEqual(expected);
  });
});
