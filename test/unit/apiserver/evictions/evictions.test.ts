import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, PODS, podBody, statusOf } from '../../../support/servers/api.ts';

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const BUDGET = `${BUDGETS}/b`;
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const running = async (name: string, { ready = true, labels = { app: 'a' }, owner = '' } = {}) => {
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true },
  ];
  const metadata = { name, labels, ...(owner ? { ownerReferences } : {}) };
  const body = { ...podBody(name, { nodeName: 'n1' }), metadata };
  await api.send('POST', PODS, { as: 'admin', body });
  await report(name, 'Running', ready);
};
const report = (name: string, phase: string, ready: boolean) => {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  const body = { status: { phase, conditions } };
  return api.send('PATCH', `${PODS}/${name}/status`, { as: 'admin', body, type: MERGE });
};
const limit = (spec: object, name = 'b') => {
  const body = { metadata: { name }, spec: { selector: { matchLabels: { app: 'a' } }, ...spec } };
  return api.send('POST', BUDGETS, { as: 'admin', body });
};
const evict = (name: string, body: object = {}, query = '', as = 'admin') =>
  api.send('POST', `${PODS}/${name}/eviction${query}`, { as, body: { metadata: { name }, ...body } });
const podOf = async (name: string) => (await api.send('GET', `${PODS}/${name}`)).json;

describe('an eviction', () => {
  it.each([
    ['policy/v1', { apiVersion: 'policy/v1', kind: 'Eviction' }],
    ['policy/v1beta1', { apiVersion: 'policy/v1beta1', kind: 'Eviction' }],
    ['no kind', {}],
  ])('deletes the pod and adds its condition, sent as %s', async (_name, body) => {
    await running('p');
    const { code, json } = await evict('p', body);
    expect([code, json]).toEqual([
      201,
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    ]);
    const { metadata, status } = await podOf('p');
    expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
    expect(status.conditions.at(-1)).toEqual({
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-03-01T12:00:00Z',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    });
  });

  it('of a terminating pod succeeds again and changes nothing', async () => {
    await running('p');
    await evict('p');
    const before = await podOf('p');
    expect((await evict('p')).code).toBe(201);
    expect(await podOf('p')).toEqual(before);
  });

  it('with invalid deletion options is refused, and the pod stays', async () => {
    await running('p');
    const { code, json } = await evict('p', { deleteOptions: { propagationPolicy: 'Odd' } });
    expect([code, json.message]).toEqual([
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Odd": supported values: "Foreground", "Background", "Orphan", "nil"',
    ]);
    expect((await podOf('p')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('uses the grace period of its options', async () => {
    await running('p');
    await evict('p', { deleteOptions: { gracePeriodSeconds: 3 } });
    expect((await podOf('p')).metadata.deletionGracePeriodSeconds).toBe(3);
  });

  it.each([
    ['in the query', {}, '?dryRun=All'],
    ['in the body', { deleteOptions: { dryRun: ['All'] } }, ''],
    ['in both', { deleteOptions: { dryRun: ['All'] } }, '?dryRun=All'],
  ])('that is a dry run %s changes neither pod nor budget', async (_name, body, query) => {
    await running('p');
    await limit({ minAvailable: 0 });
    const before = [await podOf('p'), (await api.send('GET', BUDGET)).json];
    expect((await evict('p', body, query)).code).toBe(201);
    expect([await podOf('p'), (await api.send('GET', BUDGET)).json]).toEqual(before);
  });

  it.each<[string, object, string, number, string]>([
    [
      'another name',
      { metadata: { name: 'q' } },
      '',
      400,
      'name in URL does not match name in Eviction object',
    ],
    ['no name', { metadata: {} }, '', 400, 'name in URL does not match name in Eviction object'],
    [
      'another namespace',
      { metadata: { name: 'p', namespace: 'kube-system' } },
      '',
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'another kind',
      { kind: 'Pod', apiVersion: 'v1' },
      '',
      400,
      'Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion',
    ],
    [
      'another uid',
      { deleteOptions: { preconditions: { uid: 'zz' } } },
      '',
      409,
      'Operation cannot be fulfilled on Pod "p": the UID in the precondition (zz) does not match the UID in record (00000000-0000-4000-8000-000000000001). The object might have been deleted and then recreated',
    ],
    [
      'an unknown trial',
      {},
      '?dryRun=No',
      422,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["No"]: supported values: "All"',
    ],
  ])('with %s is refused', async (_name, body, query, code, message) => {
    await running('p');
    const { code: got, json } = await evict('p', body, query);
    expect([got, json.message]).toEqual([code, message]);
    expect((await podOf('p')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('of a pod that is not there is not found', async () => {
    expect(statusOf(await evict('p'))).toEqual([404, 'NotFound', 'pods "p" not found']);
  });

  it('by a node may only delete its own pods', async () => {
    await running('p');
    expect(statusOf(await evict('p', {}, '', 'system:node:n2'))).toEqual([
      403,
      'Forbidden',
      'pods "p" is forbidden: node n2 can only evict pods with spec.nodeName set to itself',
    ]);
    expect((await evict('p', {}, '', 'system:node:n1')).code).toBe(201);
  });
});

describe('a budget', () => {
  it('allows as many evictions as its status says, then refuses without Retry-After', async () => {
    for (const name of ['p', 'q', 'r']) await running(name);
    await limit({ minAvailable: 2 });
    expect((await evict('p')).code).toBe(201);
    const refused = await evict('q');
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(refused.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      reason: 'TooManyRequests',
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget b needs 2 healthy pods and has 2 currently',
          },
        ],
      },
      code: 429,
    });
    expect((await podOf('q')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('shows its current status in an object and in a list, but not when it is created', async () => {
    await running('p');
    await running('q');
    expect((await limit({ minAvailable: 1 })).json.status).toEqual({
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    });
    const counts = {
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      observedGeneration: 1,
    };
    expect((await api.send('GET', BUDGET)).json.status).toMatchObject(counts);
    expect((await api.send('GET', `${BUDGET}/status`)).json.status).toMatchObject(counts);
    expect((await api.send('GET', BUDGETS)).json.items[0].status).toMatchObject(counts);
  });

  it('counts the replicas of a stored owner', async () => {
    const key = { resource: 'replicasets', namespace: 'default', name: 'rs' };
    const metadata = { name: 'rs', namespace: 'default', uid: 'rs' };
    const next = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: { replicas: 4 } };
    await api.writer.write(key, () => ({ next, writer: 'client' }));
    for (const name of ['p', 'q', 'r']) await running(name, { owner: 'rs' });
    await limit({ maxUnavailable: '25%' });
    expect((await api.send('GET', BUDGET)).json.status).toMatchObject({
      expectedPods: 4,
      desiredHealthy: 3,
      disruptionsAllowed: 0,
    });
  });

  it.each([
    ['Succeeded', true],
    ['Failed', true],
    ['Pending', true],
    ['Running', false],
  ])('is not used for pods that are not running: %s', async (phase, isFree) => {
    await running('p');
    await limit({ minAvailable: 1 });
    await report('p', phase, true);
    expect((await evict('p')).code).toBe(isFree ? 201 : 429);
  });

  it('with AlwaysAllow allows evictions of unhealthy pods, and does not change', async () => {
    await running('p', { ready: false });
    await limit({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect((await evict('p')).code).toBe(201);
    const row = await api.objects.read({
      resource: 'poddisruptionbudgets',
      namespace: 'default',
      name: 'b',
    });
    expect(row).toMatchObject({ object: { status: { disruptionsAllowed: 0 } } });
  });

  it("is refused if a pod has two, with Kubernetes' message and code (E-03)", async () => {
    await running('p');
    await limit({ minAvailable: 0 });
    await limit({ minAvailable: 0 }, 'c');
    expect(statusOf(await evict('p'))).toEqual([
      500,
      undefined,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    ]);
    expect(api.failures).toEqual([]);
  });

  it('with another selector is ignored (E-02)', async () => {
    await running('p', { labels: { app: 'b' } });
    await limit({ minAvailable: 1 });
    expect((await evict('p')).code).toBe(201);
  });

  it('has the stored status if another controller maintains it', async () => {
    const config = { ...api.config, computeBudgets: false };
    api = createTestApi({ config });
    await running('p');
    await limit({ minAvailable: 0 });
    const refused = await evict('p');
    expect(refused.headers['retry-after']).toBe('10');
    expect(refused.json.details.causes[0].message).toBe(
      'The disruption budget b is still being processed by the server.',
    );
    const status = { observedGeneration: 1, disruptionsAllowed: 1 };
    await api.send('PATCH', `${BUDGET}/status`, { as: 'admin', body: { status }, type: MERGE });
    expect((await evict('p')).code).toBe(201);
    expect((await api.send('GET', BUDGET)).json.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: '2026-03-01T12:00:00Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });
});

describe('writing a budget', () => {
  it('counts changes of the spec only', async () => {
    await limit({ minAvailable: 1 });
    const patch = (body: object, path = BUDGET) =>
      api.send('PATCH', path, { as: 'admin', body, type: MERGE });
    expect((await patch({ metadata: { labels: { a: 'b' } } })).json.metadata.generation).toBe(1);
    expect((await patch({ spec: { minAvailable: 2 } })).json.metadata.generation).toBe(2);
    const { json } = await patch(
      { spec: { minAvailable: 9 }, status: { currentHealthy: 4 } },
      `${BUDGET}/status`,
    );
    expect(json).toMatchObject({
      metadata: { generation: 2 },
      spec: { minAvailable: 2 },
      status: { currentHealthy: 4 },
    });
  });

  it('by PUT requires a resourceVersion', async () => {
    const { json } = await limit({ minAvailable: 1 });
    const put = (metadata: object) =>
      api.send('PUT', BUDGET, { as: 'admin', body: { metadata, spec: { minAvailable: 2 } } });
    expect(statusOf(await put({ name: 'b' }))).toEqual([
      422,
      'Invalid',
      'poddisruptionbudgets.policy "b" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
    const { resourceVersion } = json.metadata;
    expect((await put({ name: 'b', resourceVersion })).code).toBe(200);
    expect((await put({ name: 'b', resourceVersion })).code).toBe(409);
  });

  it.each<[object, string]>([
    [
      { disruptionsAllowed: -1 },
      'status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      { conditions: [{ type: 'T', status: 'Odd', reason: 'R', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      'status.conditions[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
    ],
    [
      { conditions: [{ type: 'T', status: 'True', reason: '', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      'status.conditions[0].reason: Required value: must be set',
    ],
  ])('refuses a status of %j', async (status, fault) => {
    await limit({ minAvailable: 1 });
    const { json } = await api.send('PATCH', `${BUDGET}/status`, {
      as: 'admin',
      body: { status },
      type: MERGE,
    });
    expect(json.message).toBe(`PodDisruptionBudget.policy "b" is invalid: ${fault}`);
  });
});
