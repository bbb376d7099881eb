/** What a kubelet sends from its start on, with the rights of a node, bodies in protobuf. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROUP_NODES, NODE_USER_PREFIX } from '../../../shared/kube/types/well-known.ts';
import { tokenMaker } from '../../support/servers/tokens.ts';
import requests from '../../unit/kube/protobuf/requests.json' with { type: 'json' };
import { type Cluster, startCluster } from '../cluster.ts';
import { type Agent, createAgent, protobuf, recorded, strategic } from './agent.ts';

// The name in the recorded registration.
const SELF = 'hollow-1';
const NODE = `/api/v1/nodes/${SELF}`;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/api/v1/namespaces/default/events';

const registration = (): string => {
  const found = requests.find(({ message }) => message === 'core.v1.Node');
  if (!found) throw new Error('no registration was recorded');
  return found.hex;
};

let cluster: Cluster;
let kubelet: Agent;
beforeAll(async () => {
  cluster = await startCluster();
  const token = await tokenMaker(cluster.hostFolder)(`${NODE_USER_PREFIX}${SELF}`, GROUP_NODES);
  kubelet = createAgent(cluster, token);
});
afterAll(() => cluster.stop());
afterAll(() => kubelet.close());

describe('a kubelet', () => {
  it.each([
    `/api/v1/nodes?fieldSelector=metadata.name%3D${SELF}&`,
    `/api/v1/pods?fieldSelector=spec.nodeName%3D${SELF}&`,
    '/api/v1/services?',
    '/apis/node.k8s.io/v1/runtimeclasses?',
    '/apis/storage.k8s.io/v1/csidrivers?',
  ])('lists and watches %s', async (path) => {
    const { code, json } = await kubelet.send('GET', `${path}limit=500&resourceVersion=0`);
    expect(code).toBe(200);
    const { resourceVersion } = json.metadata;
    const options = `allowWatchBookmarks=true&resourceVersion=${resourceVersion}&timeoutSeconds=1&watch=true`;
    const { code: watched, events } = await kubelet.watch(path + options);
    expect({ watched, types: events.map(({ type }) => type).filter((type) => type !== 'BOOKMARK') }).toEqual({
      watched: 200,
      types: [],
    });
  });

  it('registers itself with its status, once', async () => {
    const { code, json } = await kubelet.send('POST', '/api/v1/nodes', recorded(registration()));
    expect(code).toBe(201);
    expect(json.status).toMatchObject({
      capacity: { pods: '110' },
      nodeInfo: { kubeletVersion: expect.any(String) },
    });
    const again = await kubelet.send('POST', '/api/v1/nodes', recorded(registration()));
    expect(again).toMatchObject({ code: 409, json: { reason: 'AlreadyExists' } });
  });

  it('creates its CSINode if there is none', async () => {
    const path = '/apis/storage.k8s.io/v1/csinodes';
    expect(await kubelet.send('GET', `${path}/${SELF}`)).toMatchObject({
      code: 404,
      json: { reason: 'NotFound' },
    });
    const { json: node } = await kubelet.send('GET', NODE);
    const owner = { apiVersion: 'v1', kind: 'Node', name: SELF, uid: node.metadata.uid };
    const metadata = { name: SELF, ownerReferences: [owner] };
    const csiNode = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata, spec: { drivers: [] } };
    const made = await kubelet.send('POST', path, protobuf(csiNode, 'storage.v1.CSINode'));
    expect(made).toMatchObject({ code: 201, json: { metadata: { name: SELF } } });
  });

  it('creates a Lease and renews it, but not with an outdated version', async () => {
    const lease = (renewTime: string, metadata: object = {}) => {
      const written = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: SELF, namespace: 'kube-node-lease', ...metadata },
        spec: { holderIdentity: SELF, leaseDurationSeconds: 40, renewTime },
      };
      return protobuf(written, 'coordination.v1.Lease');
    };
    expect(await kubelet.send('GET', `${LEASES}/${SELF}?timeout=10s`)).toMatchObject({ code: 404 });
    const made = await kubelet.send('POST', `${LEASES}?timeout=10s`, lease('2026-01-02T03:04:05.000001Z'));
    expect(made.code).toBe(201);
    const { resourceVersion, uid } = made.json.metadata;
    const renewal = lease('2026-01-02T03:04:15.000001Z', { resourceVersion, uid });
    const renewed = await kubelet.send('PUT', `${LEASES}/${SELF}?timeout=10s`, renewal);
    expect(renewed).toMatchObject({
      code: 200,
      json: { spec: { renewTime: '2026-01-02T03:04:15.000001Z' } },
    });
    expect(renewed.json.metadata.resourceVersion).not.toBe(resourceVersion);
    expect(await kubelet.send('PUT', `${LEASES}/${SELF}`, renewal)).toMatchObject({
      code: 409,
      json: { reason: 'Conflict' },
    });
  });

  it('patches its status, at first without changes', async () => {
    const { code, json } = await kubelet.send('GET', `${NODE}?resourceVersion=0&timeout=10s`);
    expect(code).toBe(200);
    const types = (json.status?.conditions ?? []).map(({ type }) => type);
    expect(types).toContain('Ready');
    const nothing = await kubelet.send('PATCH', `${NODE}/status?timeout=10s`, strategic({}));
    expect(nothing.json.metadata.resourceVersion).toBe(json.metadata.resourceVersion);
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'posting' }];
    const order = { '$setElementOrder/conditions': types.map((type) => ({ type })) };
    const patch = strategic({ status: { ...order, conditions } });
    const patched = await kubelet.send('PATCH', `${NODE}/status?timeout=10s`, patch);
    expect(patched.json.status?.conditions?.map(({ type }) => type)).toEqual(types);
    expect(patched.json.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'True',
      reason: 'KubeletReady',
    });
  });

  it('reports the status of its pods, and not of others of the same name', async () => {
    const name = 'mine';
    const pod = await cluster.call<{ metadata: { uid: string } }>('POST', PODS, {
      metadata: { name, labels: { unattended: 'yes' } },
      spec: { nodeName: SELF, containers: [{ name: 'c', image: 'example.org/c:1' }] },
    });
    const report = (uid: string) =>
      strategic({
        metadata: { uid },
        status: {
          '$setElementOrder/conditions': [{ type: 'Ready' }],
          conditions: [{ type: 'Ready', status: 'True' }],
          phase: 'Running',
        },
      });
    const reported = await kubelet.send('PATCH', `${PODS}/${name}/status`, report(pod.metadata.uid));
    expect(reported).toMatchObject({ code: 200, json: { status: { phase: 'Running' } } });
    const other = '00000000-0000-4000-8000-000000000000';
    const stale = await kubelet.send('PATCH', `${PODS}/${name}/status`, report(other));
    expect(stale).toMatchObject({ code: 422, json: { reason: 'Invalid' } });
  });

  it('removes a pod that is being deleted', async () => {
    const path = `${PODS}/mine`;
    await cluster.call('DELETE', path);
    const { json } = await kubelet.send('GET', path);
    expect(json.metadata.deletionTimestamp).toBeDefined();
    const end = (uid: string) => {
      const options = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid },
      };
      return kubelet.send('DELETE', path, protobuf(options, 'apis.meta.v1.DeleteOptions'));
    };
    expect(await end('another')).toMatchObject({ code: 409, json: { reason: 'Conflict' } });
    expect((await end(json.metadata.uid)).code).toBe(200);
    // Nothing relates the node to it any more.
    expect((await kubelet.send('GET', path)).code).toBe(403);
    const { items } = await cluster.call<{ items: readonly object[] }>('GET', PODS);
    expect(items).toEqual([]);
  });

  it('writes events, and counts repeated ones', async () => {
    const at = '2026-01-02T03:04:05Z';
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${SELF}.1`, namespace: 'default' },
      involvedObject: { kind: 'Node', name: SELF, uid: SELF },
      reason: 'Starting',
      type: 'Normal',
      message: 'Starting kubelet.',
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
      source: { component: 'kubelet', host: SELF },
    };
    expect((await kubelet.send('POST', EVENTS, protobuf(event, 'core.v1.Event'))).code).toBe(201);
    const again = strategic({ count: 2, lastTimestamp: '2026-01-02T03:05:05Z' });
    expect(await kubelet.send('PATCH', `${EVENTS}/${SELF}.1`, again)).toMatchObject({
      code: 200,
      json: { count: 2 },
    });
  });
});
