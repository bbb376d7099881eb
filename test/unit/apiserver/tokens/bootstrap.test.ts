/** What a bootstrap token is good for. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createTestApi,
  heartbeatPath,
  LEASES,
  MERGE,
  NODES,
  nodeBody,
  PODS,
  podBody,
  readyNode,
  statusOf,
  type TestApi,
  tokenPath,
} from '../../../support/servers/api.ts';

const BY_NAME = 'system:node:n1';
const RELEASED = 'rollcall.dev/token-released';
const LEASE = { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1', leaseDurationSeconds: 40 } };
const TIME = '2026-03-01T11:59:00Z';
const DAYS = 3 * 86_400_000;

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const register = (as: string, body: object = nodeBody('n1')) => api.send('POST', NODES, { as, body });
const take = async () => (await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' })).code;
const annotate = (as: string, value: string | null) =>
  api.send('PATCH', `${NODES}/n1`, {
    as,
    type: MERGE,
    body: { metadata: { annotations: { [RELEASED]: value } } },
  });
const status = (as: string, lastHeartbeatTime?: string) =>
  api.send('PATCH', `${NODES}/n1/status`, {
    as,
    type: 'application/strategic-merge-patch+json',
    body: {
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Up',
            ...(lastHeartbeatTime ? { lastHeartbeatTime } : {}),
          },
        ],
      },
    },
  });

describe("a bootstrapper's request for a token", () => {
  it.each<[string, () => Promise<unknown>, number]>([
    ['of a Node that it registered', () => register('bootstrapper'), 201],
    [
      'of a Node that it registered with a status',
      () => register('bootstrapper', readyNode('n1', TIME)),
      201,
    ],
    ['of a Node that an administrator registered', () => register('admin'), 201],
    [
      'of a Node that was registered long before the machine came',
      async () => {
        await register('admin');
        api.advance(DAYS);
      },
      201,
    ],
    ['of no Node that registered itself', () => register(BY_NAME), 403],
    [
      'of no Node that beats under its name',
      async () => {
        await register('admin');
        api.advance(1_000);
        await api.sendHeartbeat('POST', heartbeatPath('n1'), { as: BY_NAME });
      },
      403,
    ],
    [
      'of no Node for which an administrator beats',
      async () => {
        await register('admin');
        api.advance(1_000);
        await api.send('POST', heartbeatPath('n1'), { as: 'admin' });
      },
      403,
    ],
    [
      'of no Node that has a Lease',
      async () => {
        await register('admin');
        await api.send('POST', LEASES, { as: BY_NAME, body: LEASE });
      },
      403,
    ],
    [
      'of no Node that reported itself',
      async () => {
        await register('bootstrapper', readyNode('n1', TIME));
        await status(BY_NAME);
      },
      403,
    ],
    [
      'of no Node that reported itself days ago',
      async () => {
        await register('admin');
        await status(BY_NAME, TIME);
        api.advance(DAYS);
      },
      403,
    ],
    [
      'of no Node that labelled itself',
      async () => {
        await register('admin');
        const body = { metadata: { labels: { a: 'b' } } };
        await api.send('PATCH', `${NODES}/n1`, { as: BY_NAME, type: MERGE, body });
      },
      403,
    ],
    [
      'of no Node that had one',
      async () => {
        await register('bootstrapper');
        await take();
      },
      403,
    ],
    [
      'of no Node that had one, although it has expired',
      async () => {
        await register('admin');
        await api.send('POST', tokenPath('n1'), { as: 'admin', body: { ttlSeconds: 60 } });
        api.advance(DAYS);
      },
      403,
    ],
    [
      'of a Node that an administrator released',
      async () => {
        await register('bootstrapper');
        await take();
        await annotate('admin', 'true');
      },
      201,
    ],
    [
      'of a released Node once',
      async () => {
        await register('bootstrapper');
        await annotate('admin', 'true');
        await take();
      },
      403,
    ],
    [
      'of no Node that released itself',
      async () => {
        await register(BY_NAME, { metadata: { name: 'n1', annotations: { [RELEASED]: 'true' } } });
        await annotate(BY_NAME, 'true');
      },
      403,
    ],
    [
      'of no Node whose release was taken back',
      async () => {
        await register(BY_NAME);
        await annotate('admin', 'true');
        await annotate('admin', null);
      },
      403,
    ],
    [
      'of a Node that was deleted and registered again',
      async () => {
        await register(BY_NAME);
        await api.send('DELETE', `${NODES}/n1`);
        await register('bootstrapper');
      },
      201,
    ],
  ])('%s', async (_what, before, code) => {
    await before();
    expect(await take()).toBe(code);
  });

  it('succeeds for only one of two concurrent bootstrappers', async () => {
    await register('admin');
    const codes = await Promise.all([take(), take(), take()]);
    expect(codes.toSorted((a, b) => a - b)).toEqual([201, 403, 403]);
  });

  it('fails if the machine sends a beat at that moment', async () => {
    await register('admin');
    api.advance(1_000);
    const { read } = api.heartbeats;
    let isFirst = true;
    Object.assign(api.heartbeats, {
      read: async (key: Parameters<typeof read>[0]) => {
        const item = await read(key);
        if (isFirst)
          await api.heartbeats.beat({ node: 'n1', source: 'plain', at: api.clock.now(), expiresAt: DAYS });
        isFirst = false;
        return item;
      },
    });
    expect(await take()).toBe(403);
  });

  it('is refused with the remedy', async () => {
    await register(BY_NAME);
    expect(statusOf(await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' }))[2]).toBe(
      'nodes "n1" is forbidden: node "n1" is used by a machine that has other credentials; it renews its token itself, or an administrator releases it: rollcall token --release n1',
    );
  });

  it('gives a token that the machine can renew', async () => {
    await register('bootstrapper');
    const { json } = await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' });
    const renewed = await api.send('POST', tokenPath('n1'), { token: json.status.token });
    expect(renewed.code).toBe(201);
  });
});

describe('a bootstrapper registers', () => {
  it.each<[string, object, string | undefined]>([
    [
      'a zone',
      { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z', mine: 'x' } } },
      undefined,
    ],
    [
      'taints',
      { metadata: { name: 'n1' }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      undefined,
    ],
    ['a status', readyNode('n1', TIME), undefined],
    ['a provider', { metadata: { name: 'n1' }, spec: { providerID: 'aws:///x/i-1' } }, undefined],
    [
      'roles and restricted labels',
      {
        metadata: {
          name: 'n1',
          labels: { 'node-role.kubernetes.io/control-plane': '', 'node-restriction.kubernetes.io/a': 'b' },
        },
      },
      'the following labels: node-restriction.kubernetes.io/a, node-role.kubernetes.io/control-plane',
    ],
    ['a range of addresses', { metadata: { name: 'n1' }, spec: { podCIDR: '10.0.0.0/24' } }, 'podCIDR'],
    ['ranges of addresses', { metadata: { name: 'n1' }, spec: { podCIDRs: ['10.0.0.0/24'] } }, 'podCIDR'],
    [
      'owners',
      {
        metadata: { name: 'n1', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'o', uid: 'u' }] },
      },
      'ownerReferences',
    ],
    ['finalizers', { metadata: { name: 'n1', finalizers: ['a/b'] } }, 'finalizers'],
  ])('a Node with %s', async (_what, body, refused) => {
    for (const query of ['?dryRun=All', '']) {
      const received = await api.send('POST', `${NODES}${query}`, { as: 'bootstrapper', body });
      if (refused === undefined) expect(received.code).toBe(201);
      else
        expect(statusOf(received)).toEqual([
          403,
          'Forbidden',
          `nodes "n1" is forbidden: user "bootstrapper" is not allowed to register node "n1" with ${refused}`,
        ]);
    }
    expect((await register('admin', { ...body, metadata: { ...nodeBody('n2').metadata } })).code).toBe(201);
  });

  it('no Node with the release annotation', async () => {
    const body = { metadata: { name: 'n1', annotations: { [RELEASED]: 'true', other: 'x' } } };
    expect((await register('bootstrapper', body)).json.metadata.annotations).toEqual({ other: 'x' });
  });

  it.each([
    ['GET', `${NODES}/n1`],
    ['PATCH', `${NODES}/n1`],
    ['PUT', `${NODES}/n1/status`],
    ['DELETE', `${NODES}/n1`],
    ['POST', PODS],
    ['GET', '/api/v1/secrets'],
    ['POST', heartbeatPath('n1')],
    ['POST', LEASES],
  ])('and may do nothing else: %s %s', async (method, path) => {
    await register('admin');
    const body = path === PODS ? podBody('p') : { metadata: { name: 'n1' } };
    expect((await api.send(method, path, { as: 'bootstrapper', type: MERGE, body })).code).toBe(403);
  });
});

it.each(['bootstrapper', 'admin'])('a token for a node has no dry run: %s', async (as) => {
  await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
  const path = `${tokenPath('n1')}?dryRun=All`;
  const { code, json } = await api.send('POST', path, { as });
  expect([code, json.message]).toEqual([400, expect.stringContaining('leave dryRun out')]);
  expect((await api.send('POST', `${tokenPath('n1')}?dryRun=some`, { as })).code).toBe(422);
  expect((await api.send('GET', `${NODES}/n1`)).json.metadata.annotations ?? {}).toEqual({});
  expect((await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' })).code).toBe(201);
});
