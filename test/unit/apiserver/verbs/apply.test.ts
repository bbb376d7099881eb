import { beforeEach, describe, expect, it } from 'vitest';
import type { Json, Received, TestApi } from '../../../support/servers/api.ts';
import {
  createTestApi,
  LEASES,
  MERGE,
  NODES,
  nodeBody,
  PODS,
  podBody,
  readyNode,
  statusOf,
} from '../../../support/servers/api.ts';

const APPLY = 'application/apply-patch+yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';
const N1 = `${NODES}/n1`;

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const apply = (manager: string, rest: object, { query = '', path = N1 } = {}): Promise<Received> =>
  api.send('PATCH', `${path}?fieldManager=${manager}${query}`, {
    as: 'admin',
    type: APPLY,
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, ...rest },
  });
const labels = (given: Record<string, string>) => ({ metadata: { name: 'n1', labels: given } });
const managersOf = ({ json }: Received): Json =>
  Object.fromEntries(
    (json.metadata.managedFields ?? []).map((entry: Json) => [
      [entry.manager, entry.operation, entry.subresource].filter(Boolean).join(' '),
      entry.fieldsV1,
    ]),
  );

describe('apply', () => {
  it('creates a missing object, and owns the fields of the configuration', async () => {
    const answer = await apply('m1', labels({ a: '1' }));
    expect(answer.code).toBe(201);
    expect(managersOf(answer)).toEqual({ 'm1 Apply': { 'f:metadata': { 'f:labels': { 'f:a': {} } } } });
  });

  it('changes nothing the second time', async () => {
    const first = await apply('m1', labels({ a: '1' }));
    api.advance(60_000);
    expect((await apply('m1', labels({ a: '1' }))).json).toEqual(first.json);
  });

  it('also reads YAML', async () => {
    const raw = 'apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels: {a: "1"}\n';
    const answer = await api.send('PATCH', `${N1}?fieldManager=m`, { as: 'admin', type: APPLY, raw });
    expect(answer.json.metadata.labels).toEqual({ a: '1' });
  });

  it('removes what its manager no longer lists, unless another one owns it', async () => {
    await apply('m1', labels({ a: '1', b: '1', c: '1' }));
    await apply('m2', labels({ b: '1' }));
    const { json } = await apply('m1', labels({ c: '1' }));
    expect(json.metadata.labels).toEqual({ b: '1', c: '1' });
  });

  it('keeps elements that others added to the same list', async () => {
    await api.send('POST', NODES, { as: 'admin', body: readyNode('n1', '2026-03-01T12:00:00Z') });
    const condition = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });
    const at = { path: `${N1}/status` };
    await apply('m1', condition('A'), at);
    await apply('m2', condition('B'), at);
    const { json } = await apply('m1', {}, at);
    expect(json.status.conditions.map(({ type }: Json) => type)).toEqual(['Ready', 'B']);
  });

  it('takes over conflicting fields with force', async () => {
    await apply('m1', labels({ a: '1' }));
    const answer = await apply('m2', labels({ a: '2' }), { query: '&force=true' });
    expect(managersOf(answer)).toEqual({ 'm2 Apply': { 'f:metadata': { 'f:labels': { 'f:a': {} } } } });
  });

  it.each<[string, object, string, string]>([
    ['one', { a: '2' }, 'm1', 'Apply failed with 1 conflict: conflict with "m1": .metadata.labels.a'],
    [
      'two',
      { a: '2', b: '2' },
      'm1',
      'Apply failed with 2 conflicts: conflicts with "m1":\n- .metadata.labels.a\n- .metadata.labels.b',
    ],
  ])('with %s conflicts is a 409', async (_name, given, manager, message) => {
    await apply(manager, labels({ a: '1', b: '1' }));
    const answer = await apply('m2', labels(given as Record<string, string>));
    expect(statusOf(answer)).toEqual([409, 'Conflict', message]);
  });

  it('compares the managers of updates by their version', async () => {
    await apply('m1', labels({ a: '1' }));
    await api.send('PATCH', `${N1}?fieldManager=updater`, {
      as: 'admin',
      type: MERGE,
      body: labels({ b: '1' }),
    });
    expect((await apply('m1', labels({ b: '2' }))).json.message).toBe(
      'Apply failed with 1 conflict: conflict with "updater" using v1: .metadata.labels.b',
    );
  });

  it('stores nothing with dryRun', async () => {
    expect((await apply('m1', labels({ a: '1' }), { query: '&dryRun=All' })).code).toBe(201);
    expect((await api.send('GET', N1)).code).toBe(404);
  });

  it.each<[string, object, readonly [number, string, string]]>([
    [
      'no kind',
      { kind: undefined, apiVersion: undefined },
      [400, 'BadRequest', 'invalid object type: /, Kind='],
    ],
    ['another kind', { kind: 'Pod' }, [400, 'BadRequest', 'invalid object type: /v1, Kind=Pod']],
    [
      'an unknown field',
      { spec: { foo: 1 } },
      [
        400,
        'BadRequest',
        'failed to create typed patch object (/n1; /v1, Kind=Node): .spec.foo: field not declared in schema',
      ],
    ],
    [
      'two unknown fields',
      { foo: 1, bar: 1 },
      [
        400,
        'BadRequest',
        'failed to create typed patch object (/n1; /v1, Kind=Node): errors:\n  .foo: field not declared in schema\n  .bar: field not declared in schema',
      ],
    ],
    [
      'a key twice',
      { status: { conditions: [{ type: 'A' }, { type: 'A' }] } },
      [
        400,
        'BadRequest',
        'failed to create typed patch object (/n1; /v1, Kind=Node): .status.conditions: duplicate entries for key [type="A"]',
      ],
    ],
    [
      'another type',
      { spec: { providerID: 1 } },
      [
        400,
        'BadRequest',
        'failed to create typed patch object (/n1; /v1, Kind=Node): .spec.providerID: expected string, got &value.valueUnstructured{Value:1}',
      ],
    ],
    [
      'managers',
      { metadata: { name: 'n1', managedFields: [] } },
      [400, 'BadRequest', 'metadata.managedFields must be nil'],
    ],
    [
      'a uid',
      { metadata: { name: 'n1', uid: 'u' } },
      [
        409,
        'Conflict',
        'Operation cannot be fulfilled on nodes "n1": uid mismatch: the provided object specified uid u, and no existing object was found',
      ],
    ],
    [
      'a version, which is ignored',
      { metadata: { name: 'n1', resourceVersion: '1' } },
      [201, undefined as unknown as string, undefined as unknown as string],
    ],
  ])('of %s', async (_name, rest, expected) => {
    expect(statusOf(await apply('m1', rest))).toEqual(expected);
  });

  it('of kubectl takes over what its client-side apply had set, and updates the annotation', async () => {
    const name = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { labels: { a: '1' } } });
    const body = { metadata: { name: 'n1', labels: { a: '1', b: '1' }, annotations: { [name]: last } } };
    await api.send('POST', `${NODES}?fieldManager=kubectl-client-side-apply`, { as: 'admin', body });
    const { json } = await apply('kubectl', labels({ a: '<2>' }), { query: '&dryRun=All' });
    expect(json.message).toContain('a valid label must be');
    const taken = await apply('kubectl', labels({ a: '2' }));
    expect(taken.json.metadata.annotations[name]).toBe(
      '{"apiVersion":"v1","kind":"Node","metadata":{"labels":{"a":"2"},"name":"n1"}}\n',
    );
    expect((await apply('kubectl', labels({ b: '2' }))).json.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .metadata.labels.b',
    );
  });

  it('of a Lease creates it, and changes the given fields', async () => {
    const lease = (spec: object) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec });
    const send = (spec: object) =>
      api.send('PATCH', `${LEASES}/l?fieldManager=m`, {
        as: 'admin',
        type: APPLY,
        body: { metadata: { name: 'l' }, ...lease(spec) },
      });
    expect((await send({ holderIdentity: 'a' })).code).toBe(201);
    const { code, json } = await send({ leaseDurationSeconds: 40 });
    expect([code, json.spec]).toEqual([200, { holderIdentity: 'a', leaseDurationSeconds: 40 }]);
  });

  it('needs a manager', async () => {
    const answer = await api.send('PATCH', N1, { as: 'admin', type: APPLY, body: {} });
    expect(answer.json.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });

  it('of the status of a missing object is a 404', async () => {
    expect((await apply('m1', {}, { path: `${N1}/status` })).code).toBe(404);
  });
});

describe('other writes', () => {
  const agent = { 'user-agent': 'kubelet/v1.34 (linux)' };

  it('are attributed to the user agent, separately for the status', async () => {
    await api.send('POST', NODES, {
      as: 'admin',
      headers: agent,
      body: readyNode('n1', '2026-03-01T12:00:00Z', { phase: 'Running' }),
    });
    const body = { status: { phase: 'Pending' } };
    const answer = await api.send('PATCH', `${N1}/status`, {
      as: 'admin',
      headers: agent,
      type: STRATEGIC,
      body,
    });
    expect(managersOf(answer)).toEqual({});
    const labelled = await apply('m1', labels({ a: '1' }));
    expect(Object.keys(managersOf(labelled))).toEqual(['m1 Apply']);
    const again = await api.send('PATCH', `${N1}/status`, {
      as: 'admin',
      headers: agent,
      type: STRATEGIC,
      body: { status: { phase: 'Running' } },
    });
    expect(managersOf(again)['kubelet Update status']).toEqual({ 'f:status': { 'f:phase': {} } });
  });

  it('own what a create sent, not what the server added', async () => {
    const body = podBody('p', { enableServiceLinks: true });
    const answer = await api.send('POST', PODS, { as: 'admin', headers: agent, body });
    const owned = managersOf(answer)['kubelet Update']['f:spec'];
    expect(owned['f:containers']['k:{"name":"c"}']).toMatchObject({
      '.': {},
      'f:image': {},
      'f:resources': {},
    });
    expect(owned).not.toHaveProperty('f:tolerations');
    expect(owned).not.toHaveProperty('f:priority');
  });

  it('take the fields that they change from appliers', async () => {
    await apply('m1', labels({ a: '1', b: '1' }));
    const answer = await api.send('PATCH', `${N1}?fieldManager=u`, {
      as: 'admin',
      type: MERGE,
      body: labels({ a: '2' }),
    });
    expect(managersOf(answer)).toEqual({
      'm1 Apply': { 'f:metadata': { 'f:labels': { 'f:b': {} } } },
      'u Update': { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
    });
  });

  it.each<[string, unknown, number]>([
    ['keeps them when it sends none', undefined, 1],
    ['keeps them when it sends an empty list', [], 1],
    ['forgets them when it sends an empty entry', [{}], 0],
  ])('a PUT %s', async (_name, managedFields, count) => {
    const { json } = await apply('m1', labels({ a: '1' }));
    const body = { ...json, metadata: { ...json.metadata, managedFields } };
    const answer = await api.send('PUT', N1, { as: 'admin', body });
    expect(answer.json.metadata.managedFields ?? []).toHaveLength(count);
  });

  it('by more than ten managers merge the oldest ones', async () => {
    await api.send('POST', `${NODES}?fieldManager=u0`, {
      as: 'admin',
      body: nodeBody('n1', labels({ l0: '1' })),
    });
    for (let index = 1; index <= 11; index += 1) {
      api.advance(1000);
      const sent = { as: 'admin', type: MERGE, body: labels({ [`l${index}`]: '1' }) };
      await api.send('PATCH', `${N1}?fieldManager=u${index}`, sent);
    }
    const names = Object.keys(managersOf(await api.send('GET', N1)));
    expect(names).toHaveLength(10);
    expect(names).toContain('ancient-changes Update');
  });

  it('of heartbeat times only make no new version, regardless of their owner', async () => {
    await api.send('POST', NODES, {
      as: 'admin',
      headers: agent,
      body: readyNode('n1', '2026-03-01T12:00:00Z'),
    });
    await apply('m1', labels({ a: '1' }));
    const beat = (time: string) => {
      api.advance(10_000);
      const body = { status: { conditions: [{ type: 'Ready', lastHeartbeatTime: time }] } };
      return api.send('PATCH', `${N1}/status`, { as: 'admin', headers: agent, type: STRATEGIC, body });
    };
    const first = await beat('2026-03-01T12:00:10Z');
    const second = await beat('2026-03-01T12:00:20Z');
    expect(second.json.metadata).toEqual(first.json.metadata);
    expect(second.json.status.conditions[0].lastHeartbeatTime).toBe('2026-03-01T12:00:20Z');
  });
});
