import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, PODS, podBody, statusOf } from '../../../support/servers/api.ts';

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const create = (name: string, rest: object = {}) =>
  api.send('POST', CLASSES, { as: 'admin', body: { metadata: { name }, value: 1000, ...rest } });
const patch = (name: string, body: object) =>
  api.send('PATCH', `${CLASSES}/${name}`, { as: 'admin', body, type: MERGE });
const createPod = (spec: object = {}) => api.send('POST', PODS, { as: 'admin', body: podBody('p', spec) });

describe('PriorityClasses', () => {
  it('of the system exist from the start and cannot be deleted', async () => {
    const { items } = (await api.send('GET', CLASSES, { as: 'viewer' })).json;
    expect(
      items.map((one: { metadata: { name: string }; value: number }) => [one.metadata.name, one.value]),
    ).toEqual([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ]);
    const first = (await api.send('GET', `${CLASSES}/system-node-critical`)).json;
    expect(first.metadata).toMatchObject({ generation: 1, creationTimestamp: '2026-03-01T12:00:00Z' });
    expect(statusOf(await api.send('DELETE', `${CLASSES}/system-node-critical`))).toEqual([
      403,
      'Forbidden',
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    ]);
  });

  it('can be selected only by name, with the messages of all kinds', async () => {
    const named = await api.send('GET', `${CLASSES}?fieldSelector=metadata.name=system-node-critical`);
    expect(named.json.items).toHaveLength(1);
    expect((await api.send('GET', `${CLASSES}?fieldSelector=value=5`)).json.message).toBe(
      '"value" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it('of the system exist once for several processes over one store', async () => {
    await api.send('GET', CLASSES);
    const uid = (await api.send('GET', `${CLASSES}/system-node-critical`)).json.metadata.uid;
    const other = createTestApi({ state: { ...api, objects: { ...api.objects } } });
    expect((await other.send('GET', `${CLASSES}/system-node-critical`)).json.metadata.uid).toBe(uid);
  });

  it('have at most one default, which may be changed', async () => {
    expect((await create('a', { globalDefault: true })).code).toBe(201);
    const refusal = 'is forbidden: PriorityClass a is already marked as default. Only one default can exist';
    expect((await create('b', { globalDefault: true })).json.message).toBe(
      `priorityclasses.scheduling.k8s.io "b" ${refusal}`,
    );
    await create('b');
    expect((await patch('b', { globalDefault: true })).json.message).toBe(
      `priorityclasses.scheduling.k8s.io "b" ${refusal}`,
    );
    expect((await patch('a', { description: 'x' })).code).toBe(200);
  });

  it.each<[object, string]>([
    [{ value: 2 }, 'value: Forbidden: may not be changed in an update.'],
    [{ preemptionPolicy: 'Never' }, 'preemptionPolicy: Invalid value: "Never": field is immutable'],
  ])('have immutable fields: %j', async (body, fault) => {
    await create('a');
    expect((await patch('a', body)).json.message).toBe(
      `PriorityClass.scheduling.k8s.io "a" is invalid: ${fault}`,
    );
  });

  it.each([
    ['system-x', {}, 'system-x is not a known system priority class'],
    ['system-node-critical', { value: 5 }, 'value of system-node-critical PriorityClass must be 2000001000'],
    [
      'system-node-critical',
      { value: 2_000_001_000, globalDefault: true },
      'globalDefault of system-node-critical PriorityClass must be false',
    ],
  ])('reserve the names of the system: %s %j', async (name, rest, why) => {
    expect((await create(name, rest)).json.message).toBe(
      `PriorityClass.scheduling.k8s.io "${name}" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
    );
  });
});

describe('a new pod', () => {
  it('gets the priority of its class, of the default class, or none', async () => {
    await create('a', { preemptionPolicy: 'Never' });
    const named = (await createPod({ priorityClassName: 'a' })).json;
    expect(named.spec).toMatchObject({ priority: 1000, preemptionPolicy: 'Never' });
    await api.send('DELETE', `${PODS}/p`);
    expect((await createPod()).json.spec).toMatchObject({ priority: 0 });
    await api.send('DELETE', `${PODS}/p`);
    await create('d', { value: 7, globalDefault: true });
    expect((await createPod()).json.spec).toMatchObject({ priority: 7, priorityClassName: 'd' });
  });

  it('may name a class of the system that was never read', async () => {
    const { json } = await createPod({ priorityClassName: 'system-node-critical' });
    expect(json.spec.priority).toBe(2_000_001_000);
  });

  it('is refused with an unknown class or with another priority', async () => {
    expect(statusOf(await createPod({ priorityClassName: 'zz' }))).toEqual([
      403,
      'Forbidden',
      'pods "p" is forbidden: no PriorityClass with name zz was found',
    ]);
    await create('a');
    expect((await createPod({ priorityClassName: 'a', priority: 7 })).json.message).toBe(
      'pods "p" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    );
  });

  it('keeps its priority in an update without it', async () => {
    const pod = (await createPod()).json;
    const { priority: _priority, preemptionPolicy: _policy, ...spec } = pod.spec;
    const { json } = await api.send('PUT', `${PODS}/p`, { as: 'admin', body: { ...pod, spec } });
    expect(json.spec).toEqual(pod.spec);
    expect(json.metadata.generation).toBe(1);
  });

  it('has a token for the API in every container without a mount at its path', async () => {
    const own = { name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    const containers = [
      { name: 'c', image: 'i' },
      { name: 'd', image: 'i', volumeMounts: [own] },
    ];
    const volumes = [{ name: 'own', emptyDir: {} }];
    const { spec } = (await createPod({ containers, volumes })).json;
    const [, { name }] = spec.volumes;
    expect(name).toMatch(/^kube-api-access-.{5}$/);
    expect(spec.containers[0].volumeMounts).toEqual([
      { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]);
    expect(spec.containers[1].volumeMounts).toEqual([own]);
  });

  it('gets no token with automountServiceAccountToken: false', async () => {
    const { spec } = (await createPod({ automountServiceAccountToken: false })).json;
    expect(spec.volumes).toBeUndefined();
  });
});
