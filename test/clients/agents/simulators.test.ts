/** What KWOK sends, which plays kubelets, and node-problem-detector, which adds conditions to nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROUP_MASTERS, USER_ADMIN } from '../../../shared/kube/types/well-known.ts';
import { tokenMaker } from '../../support/servers/tokens.ts';
import { type Cluster, startCluster } from '../cluster.ts';
import { aNode } from '../objects.ts';
import { type Agent, createAgent, jsonPatch, protobuf, strategic } from './agent.ts';

const PODS = '/api/v1/namespaces/default/pods';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

let cluster: Cluster;
let agent: Agent;
beforeAll(async () => {
  cluster = await startCluster();
  agent = createAgent(cluster, await tokenMaker(cluster.hostFolder)(USER_ADMIN, GROUP_MASTERS));
});
afterAll(() => cluster.stop());
afterAll(() => agent.close());

const addPod = (name: string, spec: object = {}) =>
  cluster.call('POST', PODS, {
    metadata: { name, labels: { unattended: 'yes' } },
    spec: { containers: [{ name: 'c', image: 'example.org/c:1' }], ...spec },
  });

describe('KWOK', () => {
  const node = 'kwok-1';

  it('checks the API with a list of one object', async () => {
    await cluster.call('POST', '/api/v1/nodes', aNode(node));
    expect(await agent.send('GET', '/api/v1/nodes?limit=1')).toMatchObject({
      code: 200,
      json: { kind: 'NodeList' },
    });
  });

  it('gets all pods with a node by a watch from version 0', async () => {
    await addPod('bound', { nodeName: node });
    await addPod('free');
    const selected = 'fieldSelector=spec.nodeName%21%3D';
    const { json } = await agent.send('GET', `/api/v1/pods?${selected}&resourceVersion=0`);
    expect(json).toMatchObject({ items: [{ metadata: { name: 'bound' } }] });
    const watch = `/api/v1/pods?${selected}&resourceVersion=0&watch=true&allowWatchBookmarks=true&timeoutSeconds=1`;
    const { events } = await agent.watch(watch);
    const told = events.filter(({ type }) => type !== 'BOOKMARK');
    expect(told.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['ADDED bound']);
  });

  it('keeps the phase of a node, which chooses its stages', async () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
    const stage = strategic({ status: { phase: 'Running', conditions } });
    const { json } = await agent.send('PATCH', `/api/v1/nodes/${node}/status`, stage);
    expect(json.status).toMatchObject({ phase: 'Running' });
    expect(json.status?.conditions).toHaveLength(4);
  });

  it('takes over a lease', async () => {
    const lease = (spec: object, metadata: object = {}) => {
      const value = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: node, ...metadata },
        spec,
      };
      return protobuf(value, 'coordination.v1.Lease');
    };
    const first = { holderIdentity: 'a', leaseDurationSeconds: 40, leaseTransitions: 0 };
    const made = await agent.send(
      'POST',
      LEASES,
      lease({ ...first, renewTime: '2026-01-02T03:04:05.000000Z' }),
    );
    const { resourceVersion } = made.json.metadata;
    const taken = {
      ...first,
      holderIdentity: 'b',
      leaseTransitions: 1,
      renewTime: '2026-01-02T03:05:05.000000Z',
    };
    const answer = await agent.send('PUT', `${LEASES}/${node}`, lease(taken, { resourceVersion }));
    expect(answer).toMatchObject({ code: 200, json: { spec: taken } });
  });

  it('keeps a pod by a finalizer, and releases it', async () => {
    const path = `${PODS}/bound`;
    const hold = [{ op: 'add', path: '/metadata/finalizers', value: ['kwok.x-k8s.io/fake'] }];
    const held = await agent.send('PATCH', path, jsonPatch(hold));
    expect(held.json.metadata.finalizers).toEqual(['kwok.x-k8s.io/fake']);
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    const deleted = await agent.send('DELETE', path, protobuf(options, 'apis.meta.v1.DeleteOptions'));
    expect(deleted.json.metadata.deletionTimestamp).toBeDefined();
    const release = [{ op: 'remove', path: '/metadata/finalizers/0' }];
    const released = await agent.send('PATCH', path, jsonPatch(release));
    expect(released.code).toBe(200);
    expect((await agent.send('GET', path)).code).toBe(404);
  });

  it('gets the deletion of a pod that it ends', async () => {
    const { json } = await agent.send('GET', '/api/v1/pods');
    await addPod('ended', { nodeName: node });
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    await agent.send('DELETE', `${PODS}/ended`, protobuf(options, 'apis.meta.v1.DeleteOptions'));
    const from = `resourceVersion=${json.metadata.resourceVersion}`;
    const { events } = await agent.watch(`/api/v1/pods?${from}&watch=true&timeoutSeconds=1`);
    // The end of its grace is a change of its own, as in Kubernetes.
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });
});

describe('node-problem-detector', () => {
  const node = 'npd-1';
  const path = `/api/v1/nodes/${node}`;

  it('waits for its node', async () => {
    expect((await agent.send('GET', `${path}?resourceVersion=0`)).code).toBe(404);
    await cluster.call('POST', '/api/v1/nodes', aNode(node));
    expect((await agent.send('GET', `${path}?resourceVersion=0`)).code).toBe(200);
  });

  it('adds conditions, and keeps those of the kubelet', async () => {
    const problem = (status: string) => ({
      type: 'KernelDeadlock',
      status,
      reason: 'KernelHasNoDeadlock',
      message: 'no deadlock',
      lastHeartbeatTime: '2026-01-02T03:04:05Z',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
    const report = (status: string) => strategic({ status: { conditions: [problem(status)] } });
    await agent.send('PATCH', `${path}/status`, report('False'));
    const { json } = await agent.send('PATCH', `${path}/status`, report('True'));
    expect(json.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'KernelDeadlock=True',
      'MemoryPressure=False',
      'DiskPressure=False',
      'PIDPressure=False',
      'Ready=True',
    ]);
  });

  it('reports problems by events', async () => {
    const { json } = await agent.send('GET', path);
    const at = '2026-01-02T03:04:05Z';
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: `${node}.`, namespace: 'default' },
      involvedObject: { kind: 'Node', name: node, uid: json.metadata.uid },
      reason: 'OOMKilling',
      type: 'Warning',
      message: 'Killed process 1',
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
      source: { component: 'kernel-monitor', host: node },
    };
    const events = '/api/v1/namespaces/default/events';
    const made = await agent.send('POST', events, protobuf(event, 'core.v1.Event'));
    expect(made.code).toBe(201);
    const again = strategic({ count: 2 });
    expect((await agent.send('PATCH', `${events}/${made.json.metadata.name}`, again)).json.count).toBe(2);
  });
});
