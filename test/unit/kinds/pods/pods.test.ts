import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import {
  createTestApi,
  MERGE,
  NODES,
  nodeBody,
  PODS,
  podBody,
  statusOf,
} from '../../../support/servers/api.ts';

const P1 = `${PODS}/p1`;
const EVENTS = '/api/v1/namespaces/default/events';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const create = async (spec: object = {}, name = 'p1') =>
  (await api.send('POST', PODS, { as: 'admin', body: podBody(name, spec) })).json;
const bound = (spec: object = {}) => create({ nodeName: 'n1', ...spec });
const patch = (body: object, path = P1) => api.send('PATCH', path, { as: 'admin', body, type: MERGE });
const remove = (body?: object) => api.send('DELETE', P1, { as: 'admin', body });

describe('create', () => {
  it('sets the defaults of the API server', async () => {
    const pod = await create();
    expect(pod).toMatchObject({
      metadata: { name: 'p1', namespace: 'default', generation: 1 },
      spec: {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
        priority: 0,
        tolerations: [
          {
            key: 'node.kubernetes.io/not-ready',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
          {
            key: 'node.kubernetes.io/unreachable',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
        ],
        containers: [{ name: 'c', image: 'i', resources: {}, imagePullPolicy: 'Always' }],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
  });

  it('resets the status and replaces a negative grace period by 1', async () => {
    const body = { ...podBody('p1', { terminationGracePeriodSeconds: -5 }), status: { phase: 'Running' } };
    const { json } = await api.send('POST', PODS, { as: 'admin', body });
    expect(json.status.phase).toBe('Pending');
    expect(json.spec.terminationGracePeriodSeconds).toBe(1);
  });

  it('refuses pods without containers, and with another namespace than the path', async () => {
    expect(
      (await api.send('POST', PODS, { as: 'admin', body: { metadata: { name: 'p' } } })).json.message,
    ).toBe('Pod "p" is invalid: spec.containers: Required value');
    const body = { metadata: { name: 'p', namespace: 'kube-system' } };
    expect((await api.send('POST', PODS, { as: 'admin', body })).json.message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  });
});

describe('responders of evictions (D-528)', () => {
  it('are kept as given, although no EvictionRequest is served', async () => {
    const evictionResponders = [{ name: 'acme.io/db', priority: 10_000 }];
    expect((await create({ evictionResponders })).spec.evictionResponders).toEqual(evictionResponders);
    await patch({ metadata: { labels: { a: 'b' } } });
    const { json } = await api.send('GET', P1, { as: 'admin' });
    expect(json.spec.evictionResponders).toEqual(evictionResponders);
    const requests = '/apis/lifecycle.k8s.io/v1alpha1/namespaces/default/evictionrequests';
    expect((await api.send('GET', requests, { as: 'admin' })).code).toBe(404);
  });
});

describe('update', () => {
  it('accepts another image and more tolerations, increases the generation, and refuses other changes', async () => {
    const { spec } = await create();
    const image = await patch({ spec: { containers: [{ ...spec.containers[0], image: 'i2' }] } });
    expect(image.json.metadata.generation).toBe(2);
    const more = await patch({
      spec: { tolerations: [...spec.tolerations, { key: 'k', operator: 'Exists' }] },
    });
    expect(more.json.metadata.generation).toBe(3);
    expect((await patch({ metadata: { labels: { a: 'b' } } })).json.metadata.generation).toBe(3);
    expect(statusOf(await patch({ spec: { nodeName: 'other' } }))).toEqual([
      422,
      'Invalid',
      expect.stringContaining('pod updates may not change fields other than `spec.containers[*].image`'),
    ]);
    expect((await patch({ spec: { tolerations: [] } })).json.message).toBe(
      'Pod "p1" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    );
  });

  it('of the status does not change the spec', async () => {
    await create();
    const { json } = await patch({ spec: { nodeName: 'x' }, status: { phase: 'Running' } }, `${P1}/status`);
    expect(json.status.phase).toBe('Running');
    expect(json.spec.nodeName).toBeUndefined();
  });
});

describe('delete', () => {
  it('removes an unbound pod at once and answers with the pod', async () => {
    await create();
    expect((await remove()).json.metadata).toMatchObject({
      deletionTimestamp: '2026-03-01T12:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    expect((await api.send('GET', P1)).code).toBe(404);
  });

  it('gives a bound pod its grace period, which later deletions can only shorten', async () => {
    await bound();
    const first = (await remove()).json;
    expect(first.metadata).toMatchObject({
      deletionTimestamp: '2026-03-01T12:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    expect((await remove({ gracePeriodSeconds: 60 })).json.metadata).toEqual(first.metadata);
    expect((await remove({ gracePeriodSeconds: 5 })).json.metadata).toMatchObject({
      deletionTimestamp: '2026-03-01T12:00:05Z',
      deletionGracePeriodSeconds: 5,
      generation: 2,
    });
    expect((await remove({ gracePeriodSeconds: 0, preconditions: { uid: 'zz' } })).code).toBe(409);
    expect((await remove({ gracePeriodSeconds: 0 })).code).toBe(200);
    expect((await api.send('GET', P1)).code).toBe(404);
  });

  it.each([
    ['its own grace period', { terminationGracePeriodSeconds: 7 }, undefined, 7],
    ['the requested one', {}, 20, 20],
    ['1 for a negative one', {}, -5, 1],
  ])('takes %s', async (_name, spec, gracePeriodSeconds, expected) => {
    await bound(spec);
    const body = gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds };
    expect((await remove(body)).json.metadata.deletionGracePeriodSeconds).toBe(expected);
  });

  it('does not wait for a pod that has finished', async () => {
    await bound();
    await patch({ status: { phase: 'Succeeded' } }, `${P1}/status`);
    await remove({ gracePeriodSeconds: 20 });
    expect((await api.send('GET', P1)).code).toBe(404);
  });

  it('uses the query if the body is empty', async () => {
    await bound();
    const { json } = await api.send('DELETE', `${P1}?gracePeriodSeconds=3`);
    expect(json.metadata.deletionGracePeriodSeconds).toBe(3);
  });
});

describe('a node', () => {
  it('reads and writes only its own pods', async () => {
    await bound();
    await create({ nodeName: 'n2' }, 'p2');
    const as = 'system:node:n1';
    const own = await api.send('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', { as });
    expect(own.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'p1',
    ]);
    expect((await api.send('GET', P1, { as })).code).toBe(200);
    expect((await api.send('GET', `${PODS}/p2`, { as })).code).toBe(403);
    const report = { as, body: { status: { phase: 'Running' } }, type: MERGE };
    expect((await api.send('PATCH', `${P1}/status`, report)).json.status.phase).toBe('Running');
    expect((await api.send('PATCH', `${PODS}/p2/status`, report)).code).toBe(403);
    expect((await api.send('DELETE', `${PODS}/p2`, { as })).code).toBe(403);
    expect((await api.send('POST', PODS, { as, body: podBody('p3') })).json.message).toMatch(
      /can only create mirror pods$/,
    );
  });
});

describe('a mirror pod', () => {
  const mirror = (uid: string) => {
    const metadata = {
      name: 'm',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true }],
    };
    return api.send('POST', PODS, {
      as: 'system:node:n1',
      body: { ...podBody('m', { nodeName: 'n1' }), metadata },
    });
  };

  it('is owned by the registered Node, even if the token has no uid', async () => {
    const { uid } = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.metadata;
    expect(statusOf(await mirror('zz'))).toEqual([
      403,
      'Forbidden',
      `pods "m" is forbidden: node n1 UID mismatch: expected zz got ${uid}`,
    ]);
    const made = await mirror(uid);
    expect(made.code).toBe(201);
    expect(made.json.spec.serviceAccountName).toBeUndefined();
    expect(made.json.spec.volumes).toBeUndefined();
  });
});

describe('a status from an old kubelet', () => {
  it('keeps the owner references and the QoS class', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r' }];
    const body = { ...podBody('p1'), metadata: { name: 'p1', ownerReferences } };
    await api.send('POST', PODS, { as: 'admin', body });
    const status = { phase: 'Running', qosClass: null };
    const written = await patch({ metadata: { ownerReferences: null }, status }, `${P1}/status`);
    expect(written.json).toMatchObject({
      metadata: { ownerReferences },
      status: { phase: 'Running', qosClass: 'BestEffort' },
    });
  });
});

describe('a pod with a finalizer', () => {
  it('is kept by either the finalizer or the grace period', async () => {
    const body = { ...podBody('p1', { nodeName: 'n1' }), metadata: { name: 'p1', finalizers: ['a/b'] } };
    await api.send('POST', PODS, { as: 'admin', body });
    await remove();
    await remove({ gracePeriodSeconds: 0 });
    expect((await api.send('GET', P1)).json.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: ['a/b'],
      generation: 2,
    });
    expect((await patch({ metadata: { finalizers: null } })).code).toBe(200);
    expect((await api.send('GET', P1)).code).toBe(404);
    await api.send('POST', PODS, { as: 'admin', body });
    await remove();
    await patch({ metadata: { finalizers: null } });
    expect((await api.send('GET', P1)).json.metadata.deletionGracePeriodSeconds).toBe(30);
  });
});

describe('events', () => {
  const event = (rest: object = {}) => ({
    metadata: { name: 'e1' },
    involvedObject: { kind: 'Node', name: 'n1' },
    reason: 'Tested',
    type: 'Normal',
    ...rest,
  });

  it('are created, selected, replaced and deleted', async () => {
    expect((await api.send('POST', EVENTS, { as: 'admin', body: event() })).json).toMatchObject({
      eventTime: null,
      reportingComponent: '',
      source: {},
    });
    const selected = `${EVENTS}?fieldSelector=involvedObject.kind%3DNode,involvedObject.namespace%3D,reason%3DTested`;
    expect((await api.send('GET', selected)).json.items).toHaveLength(1);
    expect((await api.send('PUT', `${EVENTS}/e1`, { as: 'admin', body: event({ count: 2 }) })).code).toBe(
      200,
    );
    expect(
      (await api.send('PUT', `${EVENTS}/e2`, { as: 'admin', body: event({ metadata: { name: 'e2' } }) }))
        .code,
    ).toBe(201);
    expect((await api.send('DELETE', `${EVENTS}/e1`)).json.status).toBe('Success');
  });

  it('about cluster-scoped objects are in the default namespace', async () => {
    const other = '/api/v1/namespaces/kube-public/events';
    expect((await api.send('POST', other, { as: 'admin', body: event() })).json.message).toBe(
      'Event "e1" is invalid: involvedObject.namespace: Invalid value: "": does not match event.namespace',
    );
  });
});

describe('the annotation of a mirror pod', () => {
  const MIRROR = 'kubernetes.io/config.mirror';
  const pod = (annotations: object) => ({
    ...podBody('p', { nodeName: 'n1' }),
    metadata: { name: 'p', annotations },
  });

  it.each<[string, string, object, object, string]>([
    ['admin', '', {}, { [MIRROR]: 'x' }, 'add'],
    ['admin', '/status', {}, { [MIRROR]: 'x' }, 'add'],
    ['system:node:n1', '/status', {}, { [MIRROR]: 'x' }, 'add'],
    ['system:node:n1', '/status', { [MIRROR]: 'x' }, { [MIRROR]: 'y' }, 'remove or update'],
    ['admin', '/status', { [MIRROR]: 'x' }, { [MIRROR]: null }, 'remove or update'],
    ['admin', '', { [MIRROR]: 'x' }, { [MIRROR]: null }, 'remove or update'],
  ])('is not changed by %s to pods%s: %o', async (as, subresource, before, after, change) => {
    const body = pod(before);
    const spec = { ...body.spec, automountServiceAccountToken: false };
    expect((await api.send('POST', PODS, { as: 'admin', body: { ...body, spec } })).code).toBe(201);
    const answer = await api.send('PATCH', `${PODS}/p${subresource}`, {
      as,
      type: MERGE,
      body: { metadata: { annotations: after } },
    });
    expect(statusOf(answer)).toEqual([
      422,
      'Invalid',
      `Pod "p" is invalid: metadata.annotations[${MIRROR}]: Forbidden: may not ${change} mirror pod annotation`,
    ]);
  });
});
