import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import {
  createTestApi,
  heartbeatPath,
  MERGE,
  NODES,
  nodeBody,
  readyNode,
  START,
  statusOf,
} from '../../../support/servers/api.ts';

const N1 = `${NODES}/n1`;
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const create = async (body: object = nodeBody('n1')) =>
  (await api.send('POST', NODES, { as: 'admin', body })).json;
const patch = (body: object, path = N1, as = 'admin', nodeUid?: string) =>
  api.send('PATCH', path, { as, nodeUid, body, type: MERGE });

describe('create', () => {
  it('sets uid, defaults and the not-ready taint', async () => {
    const node = await create(
      nodeBody('n1', { spec: { podCIDR: '10.7.0.0/24' }, status: { capacity: { memory: '2048Ki' } } }),
    );
    expect(node).toMatchObject({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: 'n1', uid: expect.any(String), creationTimestamp: '2026-03-01T12:00:00Z' },
      spec: {
        podCIDRs: ['10.7.0.0/24'],
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      },
      status: {
        capacity: { memory: '2Mi' },
        allocatable: { memory: '2Mi' },
        nodeInfo: { kubeletVersion: '' },
      },
    });
    expect((await api.send('GET', N1)).json).toEqual(node);
  });

  it('refuses a name that is taken', async () => {
    await create();
    expect(statusOf(await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') }))).toEqual([
      409,
      'AlreadyExists',
      'nodes "n1" already exists',
    ]);
  });

  it('generates a name from generateName', async () => {
    const node = await create({ metadata: { generateName: 'gen-' } });
    expect(node.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
  });

  it('stores nothing in a dry run', async () => {
    expect((await api.send('POST', `${NODES}?dryRun=All`, { as: 'admin', body: nodeBody('n1') })).code).toBe(
      201,
    );
    expect((await api.send('GET', N1)).code).toBe(404);
  });

  it('lists all faults of the object', async () => {
    const body = { metadata: { name: 'Bad' }, spec: { taints: [{ key: 'a', effect: 'No' }] } };
    const { code, json } = await api.send('POST', NODES, { as: 'admin', body });
    expect(code).toBe(422);
    expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'metadata.name',
      'metadata.taints[0].effect',
    ]);
  });
});

describe('replace', () => {
  it.each([
    ['a stale version', { name: 'n1', resourceVersion: '1' }, 409, 'Conflict'],
    ['another name', { name: 'n2' }, 400, 'BadRequest'],
    ['no name', {}, 400, 'BadRequest'],
    ['another uid', { name: 'n1', uid: 'abc' }, 409, 'Conflict'],
    ['a version that is no number', { name: 'n1', resourceVersion: 'x' }, 400, 'BadRequest'],
  ])('refuses %s', async (_name, metadata, code, reason) => {
    await create();
    expect(statusOf(await api.send('PUT', N1, { as: 'admin', body: { metadata } })).slice(0, 2)).toEqual([
      code,
      reason,
    ]);
  });

  it('ignores the status, and makes no revision if nothing changes', async () => {
    const { metadata } = await create(readyNode('n1', '2026-01-01T00:00:00Z'));
    const body = { metadata: { name: 'n1', labels: { a: 'b' } }, status: {} };
    const first = (await api.send('PUT', N1, { as: 'admin', body })).json;
    expect(first.status.conditions).toHaveLength(1);
    expect(first.metadata).toMatchObject({ labels: { a: 'b' }, uid: metadata.uid });
    const second = (await api.send('PUT', N1, { as: 'admin', body })).json;
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('keeps podCIDR and providerID once they are set', async () => {
    await create(nodeBody('n1', { spec: { podCIDR: '10.7.0.0/24', providerID: 'a' } }));
    const { json } = await api.send('PUT', N1, {
      as: 'admin',
      body: nodeBody('n1', { spec: { providerID: 'b' } }),
    });
    expect(json.message).toContain('node updates may not change podCIDR except from "" to valid');
    expect(json.message).toContain('node updates may not change providerID except from "" to valid');
  });
});

describe('patch', () => {
  it('merges, removes by null and returns the whole object', async () => {
    await create({ metadata: { name: 'n1', labels: { a: '1', b: '2' } } });
    const { json } = await patch({
      metadata: { labels: { a: null, c: '3' } },
      spec: { unschedulable: true },
    });
    expect(json.metadata.labels).toEqual({ b: '2', c: '3' });
    expect(json.spec.unschedulable).toBe(true);
  });

  it('refuses another uid and a stale version', async () => {
    await create();
    expect((await patch({ metadata: { uid: 'x' } })).json.message).toBe(
      'Node "n1" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    );
    expect((await patch({ metadata: { resourceVersion: '1' } })).code).toBe(409);
  });
});

describe('status', () => {
  it('does not change the spec, and the main resource does not change the status', async () => {
    const { metadata } = await create();
    expect((await patch({ spec: { unschedulable: true } }, `${N1}/status`)).json.metadata).toEqual(metadata);
    expect((await patch({ status: { phase: 'Running' } })).json.metadata).toEqual(metadata);
    expect((await patch({ status: { phase: 'Running' } }, `${N1}/status`)).json.status.phase).toBe('Running');
  });

  const report = (lastHeartbeatTime: string, status = 'True') => ({
    status: { conditions: [{ type: 'Ready', status, lastHeartbeatTime, reason: 'KubeletReady' }] },
  });
  const item = async () => api.heartbeats.read({ namespace: 'kube-node-lease', name: 'n1' });

  it('counts a change of only a heartbeat time as a beat, without a revision', async () => {
    const before = await create(readyNode('n1', '2026-01-01T00:00:00Z'));
    api.advance(10_000);
    const { json } = await patch(report('2026-01-01T00:00:10Z'), `${N1}/status`);
    expect(json.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(json.status.conditions[0].lastHeartbeatTime).toBe('2026-01-01T00:00:10Z');
    expect(await item()).toMatchObject({ statusAt: START + 10_000, observedAt: START + 10_000 });
    expect((await api.send('GET', N1)).json.status.conditions[0].lastHeartbeatTime).toBe(
      '2026-01-01T00:00:10Z',
    );
    expect((await patch({}, `${N1}/status`)).json).toEqual(json);
  });

  it('stores a beat together with other changes of the status', async () => {
    const before = await create(readyNode('n1', '2026-01-01T00:00:00Z'));
    api.advance(10_000);
    const { json } = await patch(report('2026-01-01T00:00:10Z', 'False'), `${N1}/status`);
    expect(Number(json.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect(await item()).toMatchObject({
      statusAt: START + 10_000,
      times: { Ready: '2026-01-01T00:00:10Z' },
    });
  });

  it('is not a beat if Ready has the same time', async () => {
    await create(readyNode('n1', '2026-01-01T00:00:00Z'));
    api.advance(10_000);
    await patch({ status: { phase: 'Running' } }, `${N1}/status`);
    expect(await item()).toMatchObject({ statusAt: START });
  });
});

describe('delete', () => {
  it('answers with a Status and removes the node', async () => {
    const { metadata } = await create();
    expect((await api.send('DELETE', N1)).json).toMatchObject({
      status: 'Success',
      details: { name: 'n1', kind: 'nodes', uid: metadata.uid },
    });
    expect((await api.send('GET', N1)).code).toBe(404);
    expect((await api.send('POST', heartbeatPath('n1'))).code).toBe(404);
  });

  it('waits for finalizers', async () => {
    await create({ metadata: { name: 'n1', finalizers: ['example.com/keep'] } });
    expect((await api.send('DELETE', N1)).json.metadata).toMatchObject({
      deletionTimestamp: '2026-03-01T12:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    expect((await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.message).toBe(
      'object is being deleted: nodes "n1" already exists',
    );
    expect((await patch({ metadata: { finalizers: ['example.com/new', 'example.com/keep'] } })).code).toBe(
      422,
    );
    expect((await patch({ metadata: { finalizers: null } })).code).toBe(200);
    expect((await api.send('GET', N1)).code).toBe(404);
  });

  it('keeps an object that does not meet the preconditions', async () => {
    await create();
    const body = { preconditions: { uid: 'zz' } };
    expect((await api.send('DELETE', N1, { as: 'admin', body })).json.message).toMatch(
      /^Operation cannot be fulfilled on Node "n1": the UID in the precondition \(zz\) does not match the UID in record/,
    );
    expect((await api.send('DELETE', `${N1}?dryRun=All`)).code).toBe(200);
    expect((await api.send('GET', N1)).code).toBe(200);
  });
});

describe('a node that writes its own Node', () => {
  it.each([
    [
      'its taints',
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      'node "n1" is not allowed to modify taints',
    ],
    [
      'a forbidden label',
      { metadata: { labels: { 'node-restriction.kubernetes.io/x': 'y' } } },
      'is not allowed to modify labels: node-restriction.kubernetes.io/x',
    ],
    [
      'whether it is cordoned',
      { spec: { unschedulable: true } },
      'node "n1" is not allowed to modify spec.unschedulable',
    ],
    [
      'its owners',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' }] } },
      'node "n1" is not allowed to modify ownerReferences',
    ],
  ])('may not change %s', async (_name, body, why) => {
    const { metadata } = await create();
    const received = await patch(body, N1, 'system:node:n1', metadata.uid);
    expect(statusOf(received)).toEqual([403, 'Forbidden', `nodes "n1" is forbidden: ${why}`]);
  });

  it('may label itself, and not write another Node', async () => {
    const { metadata } = await create();
    await create(nodeBody('n2'));
    const body = { metadata: { labels: { 'example.com/a': 'b' } } };
    expect((await patch(body, N1, 'system:node:n1', metadata.uid)).code).toBe(200);
    expect(statusOf(await patch(body, `${NODES}/n2`, 'system:node:n1', metadata.uid))).toEqual([
      403,
      'Forbidden',
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    ]);
  });

  it('is refused with the token of a deleted Node of its name', async () => {
    const { metadata } = await create();
    await api.send('DELETE', N1);
    const again = await api.send('POST', NODES, {
      as: 'system:node:n1',
      nodeUid: metadata.uid,
      body: nodeBody('n1'),
    });
    expect(statusOf(again)).toEqual([
      401,
      'Unauthorized',
      expect.stringContaining('was deleted; register again'),
    ]);
    await create();
    expect((await api.send('GET', N1, { as: 'system:node:n1', nodeUid: metadata.uid })).code).toBe(401);
  });
});

describe('a request to drain', () => {
  const DRAIN = 'rollcall.dev/drain';
  const annotations = { [DRAIN]: '{"id":"one","requestedAt":"2026-03-01T12:00:00Z"}', other: 'stays' };
  const cordon = (unschedulable: boolean | null) => patch({ spec: { unschedulable } });

  it.each([false, null])('goes with the write that uncordons: unschedulable %s (E-13)', async (value) => {
    await create();
    await patch({ metadata: { annotations }, spec: { unschedulable: true } });
    expect((await cordon(value)).json.metadata.annotations).toEqual({ other: 'stays' });
    expect((await cordon(true)).json.metadata.annotations).toEqual({ other: 'stays' });
  });

  it('stays through writes of a node that remains cordoned (E-13)', async () => {
    await create();
    await patch({ metadata: { annotations }, spec: { unschedulable: true } });
    expect((await patch({ metadata: { labels: { a: 'b' } } })).json.metadata.annotations).toEqual(
      annotations,
    );
  });
});
