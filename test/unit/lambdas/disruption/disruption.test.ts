// The disruption controller among all controllers, over memory adapters in virtual time.
import { describe, expect, it } from 'vitest';
import type { ApiObject, OwnerReference } from '../../../../shared/kube/types/meta.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../../shared/kube/types/policy.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const SELECTOR = { matchLabels: { app: 'web' } };

const keyOf = (resource: string, name: string): ObjectKey => ({ resource, namespace: 'default', name });

const put = async (plane: ControlPlane, resource: string, object: ApiObject): Promise<void> => {
  await plane.writer.write(keyOf(resource, object.metadata.name), () => ({ next: object, writer: 'client' }));
};

const addBudget = (
  plane: ControlPlane,
  name: string,
  spec: PodDisruptionBudgetSpec,
  generation = 1,
): Promise<void> => {
  const metadata = { namespace: 'default', name, uid: `uid-${name}`, generation };
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata };
  return put(plane, 'poddisruptionbudgets', {
    ...budget,
    spec: { selector: SELECTOR, ...spec },
  } as ApiObject);
};

const budgetNamed = async ({ state }: ControlPlane, name: string): Promise<PodDisruptionBudget | undefined> =>
  liveRow(await state.objects.read(keyOf('poddisruptionbudgets', name)))?.object;

const countsOf = async (plane: ControlPlane, name: string) => {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } =
    (await budgetNamed(plane, name))?.status ?? {};
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed];
};

const workload = (
  kind: string,
  name: string,
  replicas: number,
  owner?: OwnerReference,
): ApiObject & { readonly spec: object } => ({
  apiVersion: 'apps/v1',
  kind,
  spec: { replicas },
  metadata: {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    generation: 1,
    ...(owner ? { ownerReferences: [owner] } : {}),
  },
});

const ownedBy = (kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
});

const addPod = async (plane: ControlPlane, name: string, owner?: OwnerReference): Promise<void> => {
  await fleet.addPod(plane, name);
  await fleet.changePod(plane, name, (pod) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { app: 'web' },
      ...(owner ? { ownerReferences: [owner] } : {}),
    },
  }));
};

const setUp = async (pods = 3, owner?: OwnerReference): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane();
  // The pods are those of the case: nobody adopts, makes or deletes any.
  for (const owner of ['replica-set', 'stateful-set', 'daemon-set'] as const) plane.set(owner, false);
  for (const other of ['scheduler', 'garbage', 'garbage-sweep'] as const) plane.set(other, false);
  for (let n = 0; n < pods; n += 1) await addPod(plane, `p${n}`, owner);
  return plane;
};

const eventsOf = (plane: ControlPlane): readonly string[] =>
  fleet.eventsOf(plane).filter((text) => !text.startsWith('NodeNotReady'));

const writesOf = (plane: ControlPlane): number =>
  plane.commits.filter(({ change: { after } }) => after?.key.resource === 'poddisruptionbudgets').length;

describe('the status of a budget', () => {
  it('follows its pods, and is written only when it changes (B-07)', async () => {
    const plane = await setUp();
    await addBudget(plane, 'b', { minAvailable: 2 });
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([3, 2, 3, 1]);
    expect(writesOf(plane)).toBe(2); // Its creation, and the status.
    await fleet.changePod(plane, 'p0', (pod) => ({ ...pod, status: { phase: 'Running', conditions: [] } }));
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([3, 2, 2, 0]);
    await fleet.changePod(plane, 'p0', (pod) => ({
      ...pod,
      status: { phase: 'Running', podIP: '10.0.0.1' },
    }));
    await fleet.changePod(plane, 'p0', () => 'delete');
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([2, 2, 2, 0]);
    expect(writesOf(plane)).toBe(4);
    await plane.run(3_600 * SECOND);
    expect(writesOf(plane)).toBe(4);
    expect((await budgetNamed(plane, 'b'))?.status?.conditions).toMatchObject([
      { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 },
    ]);
  });

  it('follows the spec', async () => {
    const plane = await setUp();
    await addBudget(plane, 'b', { minAvailable: 2 });
    await plane.run(SECOND);
    await addBudget(plane, 'b', { minAvailable: 1 }, 2);
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([3, 1, 3, 2]);
    expect((await budgetNamed(plane, 'b'))?.status?.observedGeneration).toBe(2);
  });

  it.each([
    ['ReplicaSet', 'replicasets', 'apps/v1'],
    ['StatefulSet', 'statefulsets', 'apps/v1'],
    ['ReplicationController', 'replicationcontrollers', 'v1'],
  ])('follows the replicas of a %s', async (kind, resource, apiVersion) => {
    const plane = await setUp(3, ownedBy(kind, 'w', apiVersion));
    await put(plane, resource, workload(kind, 'w', 4));
    await addBudget(plane, 'b', { maxUnavailable: '34%' });
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([4, 2, 3, 1]);
    await put(plane, resource, workload(kind, 'w', 1));
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([1, 0, 3, 3]);
  });

  it('follows a Deployment, whose two ReplicaSets count once (B-12)', async () => {
    const plane = await setUp(2, ownedBy('ReplicaSet', 'old'));
    await addPod(plane, 'p9', ownedBy('ReplicaSet', 'new'));
    await put(plane, 'deployments', workload('Deployment', 'd', 3));
    for (const name of ['old', 'new'])
      await put(plane, 'replicasets', workload('ReplicaSet', name, 2, ownedBy('Deployment', 'd')));
    await addBudget(plane, 'b', { maxUnavailable: 1 });
    await plane.run(SECOND);
    expect(await countsOf(plane, 'b')).toEqual([3, 2, 3, 1]);
  });

  it('forgets a grant when it lapses, with an Event on the pod (B-08, B-13)', async () => {
    const plane = await setUp();
    await addBudget(plane, 'b', { minAvailable: 2 });
    await plane.run(SECOND);
    const budget = await budgetNamed(plane, 'b');
    const grants = { p0: toTime(plane.clock.now()), nobody: toTime(plane.clock.now()) };
    await put(plane, 'poddisruptionbudgets', {
      ...budget,
      status: { ...budget?.status, disruptedPods: grants },
    } as ApiObject);
    await plane.run(SECOND);
    expect((await budgetNamed(plane, 'b'))?.status?.disruptedPods).toEqual({ p0: grants.p0 });
    expect(await countsOf(plane, 'b')).toEqual([3, 2, 2, 0]);
    await plane.run(122 * SECOND);
    expect((await budgetNamed(plane, 'b'))?.status?.disruptedPods).toBeUndefined();
    expect(await countsOf(plane, 'b')).toEqual([3, 2, 3, 1]);
    expect(eventsOf(plane)).toEqual([
      "NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
    ]);
  });

  it('is brought up to date for all budgets of a pod; an Event tells of them when the pod changes (B-15)', async () => {
    const plane = await setUp(2);
    await plane.run(SECOND);
    for (const name of ['one', 'two']) await addBudget(plane, name, { minAvailable: 1 });
    await plane.run(SECOND);
    expect(eventsOf(plane)).toEqual([]);
    const makeReady = async (status: 'True' | 'False'): Promise<void> => {
      await fleet.changePod(plane, 'p0', (pod) => ({
        ...pod,
        status: { ...pod.status, conditions: [{ type: 'Ready', status }] },
      }));
      await plane.run(SECOND);
    };
    await makeReady('False');
    await addBudget(plane, 'all', { minAvailable: 1 });
    await makeReady('True');
    await makeReady('False');
    for (const name of ['all', 'one', 'two']) expect(await countsOf(plane, name)).toEqual([2, 1, 1, 0]);
    await plane.run(16 * 60 * SECOND);
    expect(eventsOf(plane)).toEqual([
      'MultiplePodDisruptionBudgets: Pod "default"/"p0" matches multiple PodDisruptionBudgets.  Chose "one" arbitrarily.',
    ]);
  });

  it('is right after a sweep if messages were lost', async () => {
    const plane = await setUp();
    plane.set('disruption', false);
    await addBudget(plane, 'b', { minAvailable: 2 });
    await plane.run(SECOND);
    plane.set('disruption', true);
    expect(await countsOf(plane, 'b')).toEqual([undefined, undefined, undefined, undefined]);
    await plane.run(60 * SECOND);
    expect(await countsOf(plane, 'b')).toEqual([3, 2, 3, 1]);
    expect(plane.failures).toEqual([]);
  });
});

describe('Events', () => {
  it.each<[string, number, OwnerReference | undefined, PodDisruptionBudgetSpec, string]>([
    ['no pods', 0, undefined, { minAvailable: 1 }, 'NoPods: No matching pods found'],
    [
      ...(['an owner that is gone', 1, ownedBy('ReplicaSet', 'gone'), { maxUnavailable: 1 }] as const),
      'CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: found no controllers for pod "p0"',
    ],
    [
      ...([
        'an owner of no known kind',
        1,
        ownedBy('Foo', 'f', 'example.com/v1'),
        { maxUnavailable: 1 },
      ] as const),
      'CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: no matches for kind "Foo" in version "example.com/v1"',
    ],
    [
      ...(['pods without an owner', 1, undefined, { minAvailable: '50%' }] as const),
      'UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ],
  ])('%s', async (_case, pods, owner, spec, text) => {
    const plane = await setUp(pods, owner);
    await addBudget(plane, 'b', spec);
    await plane.run(30 * 60 * SECOND);
    expect(eventsOf(plane)).toEqual([text]);
  });
});

it.each([
  ['with a budget in another namespace, one message and one read', true, ['poddisruptionbudgets default']],
  ['without any budget, nothing', false, []],
])('pods of a namespace without budgets cost, %s', async (_, isElsewhere, expected) => {
  const plane = await setUp(2);
  if (isElsewhere) {
    const metadata = { namespace: 'elsewhere', name: 'other', uid: 'other', generation: 1 };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: {} };
    const key = { resource: 'poddisruptionbudgets', namespace: 'elsewhere', name: 'other' };
    await plane.writer.write(key, () => ({ next: budget, writer: 'client' }));
  }
  const read: string[] = [];
  const { page } = plane.state.objects;
  plane.state.objects.page = (query) => {
    read.push(`${query.resource} ${query.namespace}`);
    return page(query);
  };
  await plane.run(SECOND);
  // Sweeps read all namespaces.
  const ofNamespace = read.filter((text) => text.endsWith(' default'));
  expect(new Set(ofNamespace)).toEqual(new Set(expected));
});
