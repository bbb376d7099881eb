import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/deployment/reconcile.ts';
import { routing } from '../../../../lambdas/deployment/routing.ts';
import { updateSets } from '../../../../lambdas/deployment/sets.ts';
import type { View } from '../../../../lambdas/deployment/view.ts';
import { defaultDeployment } from '../../../../shared/kube/defaults/workload.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { Workload } from '../../../../shared/kube/types/workloads.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { inTurn } from '../../../../shared/store/turns/owner-turns.ts';
import { anOwnedPod, aWorkload } from '../../../support/objects/workload-objects.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';

const [DEPLOYMENTS, SETS] = ['deployments', 'replicasets'];

const withReplicas = (set: Workload, replicas: number): Workload => ({
  ...set,
  spec: { ...set.spec, replicas },
});

/** Two ReplicaSets that belong to nobody, as a look has read them. */
const twoSets = async () => {
  const plane = await aWorkloadPlane();
  plane.set('stream', false);
  const rows = await Promise.all(
    ['a', 'b'].map(async (name) => {
      await plane.put(SETS, aWorkload({ name }));
      const row = liveRow(await plane.state.objects.read({ resource: SETS, namespace: 'default', name }));
      if (!row) throw new Error('it was just written');
      return row;
    }),
  );
  const updates = rows.map(({ object }) => ({ before: object, after: withReplicas(object, 9) }));
  const view = { decision: { updates }, sets: new Map(rows.map((row) => [row.uid, row])) };
  const sizes = async () => (await plane.list<Workload>(SETS)).map(({ spec }) => spec?.replicas);
  return { plane, view: view as unknown as View, sizes };
};

describe('updateSets', () => {
  it.each([
    ['writes all that are as they were read', undefined, [9, 9], 2],
    ['ends at the first one that is not', 'a', [1, 3], 0],
    ['keeps what it has written before', 'b', [9, 1], 1],
  ])('%s (W-77)', async (_what, scaledBySomebody, expected, written) => {
    const { plane, view, sizes } = await twoSets();
    if (scaledBySomebody !== undefined) await plane.respec(SETS, scaledBySomebody, { replicas: 1 });
    const deps = plane.invoke();
    const turn = await inTurn(deps, 'owner', async (begun) => {
      const check = await begun.fence();
      return (await updateSets(deps, view, begun, { turn: check })).size;
    });
    expect(turn).toMatchObject({ outcome: 'done', results: [written] });
    expect(await sizes()).toEqual(expected);
  });
});

const step = (resource: string, before: ApiObject | undefined, after: ApiObject | undefined) => {
  const { name, uid = '' } = (after ?? before)?.metadata ?? { name: '' };
  const row = (object: ApiObject | undefined) => object && ({ object, uid } as unknown as LiveRow);
  const key = { resource, namespace: 'default', name };
  return { key, uid, revision: 1, before: row(before), after: row(after) };
};

describe('routing', () => {
  const deployment = aWorkload({ kind: 'Deployment' });
  const set = aWorkload({ name: 'web-1' });
  const owned: Workload = {
    ...set,
    metadata: {
      ...set.metadata,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-of-web', controller: true },
      ],
    },
  };
  const pod = anOwnedPod({ name: 'p', owner: set });

  it.each([
    ['a new Deployment', step(DEPLOYMENTS, undefined, deployment), ['owner web']],
    ['its status', step(DEPLOYMENTS, deployment, { ...deployment, status: {} } as ApiObject), []],
    ['the status of its ReplicaSet', step(SETS, owned, { ...owned, status: {} } as ApiObject), ['owner web']],
    ['a pod that goes', step('pods', pod, undefined), ['orphan web-1']],
    ['a pod that changes', step('pods', pod, { ...pod, status: {} } as ApiObject), []],
  ])('%s (W-78)', (_what, change, expected) => {
    expect(routing.route(change).map(({ body }) => `${body.kind} ${body.name}`)).toEqual(expected);
  });
});

describe('a pod that went', () => {
  it.each([
    ['RollingUpdate', 0],
    ['Recreate', 1],
  ])('is looked at with %s %i times (W-78)', async (type, looks) => {
    const plane = await aWorkloadPlane();
    const spec = { replicas: 1, strategy: { type } };
    await plane.put(DEPLOYMENTS, defaultDeployment(aWorkload({ kind: 'Deployment', spec })));
    await plane.run(2_000);
    const [set] = await plane.list<Workload>(SETS);
    const { name = '', uid = '' } = set?.metadata ?? {};
    const message = { v: 1, kind: 'orphan', namespace: 'default', name, uid } as const;
    expect(await reconcile(plane.invoke(), message)).toHaveLength(looks);
  });
});

describe('a lost message', () => {
  it('is made up for within the hour (W-78)', async () => {
    const plane = await aWorkloadPlane();
    plane.set('stream', false);
    await plane.put(DEPLOYMENTS, defaultDeployment(aWorkload({ kind: 'Deployment', spec: { replicas: 1 } })));
    await plane.run(3_600_000);
    expect(await plane.list(SETS)).toHaveLength(1);
  });
});
