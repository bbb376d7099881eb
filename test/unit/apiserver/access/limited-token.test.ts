/** What a bootstrap token with limits is good for. */
import { beforeEach, describe, expect, it } from 'vitest';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import type { CommitOutcome } from '../../../../shared/ports/store/commit.ts';
import {
  createTestApi,
  MERGE,
  NODES,
  nodeBody,
  type TestApi,
  tokenPath,
} from '../../../support/servers/api.ts';

const EC2 = 'aws:///eu-central-1a/i-0123456789abcdef0';
const HOUR_MS = 3_600_000;

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const tokenWith = (limits: object, id = 't1'): Promise<string> =>
  issueToken(
    { signingKeys: api.signingKeys, clusterId: 'test' },
    {
      name: 'rollcall-bootstrapper',
      groups: ['system:bootstrappers'],
      limits,
      id,
      issuedAt: api.clock.now(),
      expiresAt: api.clock.now() + HOUR_MS,
    },
  );
const make = (token: string, name: string, spec?: object, query = '') =>
  api.send('POST', `${NODES}${query}`, { token, body: { ...nodeBody(name), ...(spec ? { spec } : {}) } });
const take = (token: string, name: string) => api.send('POST', tokenPath(name), { token });

describe('a bootstrap token for one node', () => {
  it('makes it, and fetches its token, and neither of another one', async () => {
    const token = await tokenWith({ node: 'n1' });
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n2') });
    expect((await make(token, 'n1')).code).toBe(201);
    expect((await take(token, 'n1')).code).toBe(201);
    const refused = await make(token, 'n3');
    expect([refused.code, refused.json.message]).toEqual([
      403,
      'nodes "n3" is forbidden: this bootstrap token is for the node "n1"',
    ]);
    expect((await take(token, 'n2')).code).toBe(403);
    expect((await api.send('GET', `${NODES}/n3`)).code).toBe(404);
  });

  it('is not led around the name by generateName', async () => {
    const token = await tokenWith({ node: 'n1' });
    const body = { ...nodeBody('n1'), metadata: { generateName: 'n1' } };
    expect((await api.send('POST', NODES, { token, body })).code).toBe(403);
  });
});

describe('a bootstrap token for a number of nodes', () => {
  it('makes no more, whatever the clients do', async () => {
    const token = await tokenWith({ uses: 2 });
    expect((await make(token, 'n1')).code).toBe(201);
    // A retry of what was made, a dry run and a Node that may not be made cost nothing.
    expect((await make(token, 'n1')).code).toBe(409);
    expect((await make(token, 'n2', undefined, '?dryRun=All')).code).toBe(201);
    expect((await make(token, 'n2', { podCIDR: '10.0.0.0/24' })).code).toBe(403);
    expect((await take(token, 'n1')).code).toBe(201);
    const codes = await Promise.all(['n2', 'n3', 'n4'].map(async (name) => (await make(token, name)).code));
    expect(codes.toSorted((a, b) => a - b)).toEqual([201, 403, 403]);
    const { code, json } = await make(token, 'n5');
    expect([code, json.message]).toEqual([
      403,
      'nodes "n5" is forbidden: this bootstrap token makes 2 Nodes, and has made them: make a new one with: rollcall token --bootstrap',
    ]);
  });

  it('does not get a use back by the deletion of a Node', async () => {
    const token = await tokenWith({ uses: 1 });
    await make(token, 'n1');
    await api.send('DELETE', `${NODES}/n1`);
    expect((await make(token, 'n1')).code).toBe(403);
  });

  it('pays for a Node of others whose token it fetches, once', async () => {
    for (const name of ['n1', 'n2']) await api.send('POST', NODES, { as: 'admin', body: nodeBody(name) });
    const token = await tokenWith({ uses: 1 });
    expect((await take(token, 'n1')).code).toBe(201);
    const { code, json } = await take(token, 'n2');
    expect([code, json.message]).toEqual([403, expect.stringContaining('makes 1 Node, and has made them')]);
    expect((await make(token, 'n3')).code).toBe(403);
    expect((await take(await tokenWith({ uses: 1 }, 't2'), 'n2')).code).toBe(201);
  });

  it('counts one use for a creation whose answer was lost on its way', async () => {
    const token = await tokenWith({ uses: 2 });
    const { commit } = api.objects;
    let lost = 0;
    Object.assign(api.objects, {
      commit: async (given: Parameters<typeof commit>[0]): Promise<CommitOutcome> => {
        const outcome = await commit(given);
        lost += 1;
        return lost === 1 ? { outcome: 'unclear' } : outcome;
      },
    });
    expect((await make(token, 'n1')).code).toBe(201);
    expect((await make(token, 'n2')).code).toBe(201);
    expect((await make(token, 'n3')).code).toBe(403);
  });

  it('cannot be led around by an annotation that the machine brings', async () => {
    const token = await tokenWith({ uses: 1 });
    const body = { metadata: { name: 'n1', annotations: { 'rollcall.dev/bootstrap-token': 't2' } } };
    expect((await api.send('POST', NODES, { token, body })).code).toBe(403);
    await make(token, 'n1');
    const patch = { metadata: { annotations: { 'rollcall.dev/bootstrap-token': 't2' } } };
    const sent = { as: 'system:node:n1', type: MERGE, body: patch };
    expect((await api.send('PATCH', `${NODES}/n1`, sent)).code).toBe(403);
  });
});

describe('a bootstrap token for one machine', () => {
  it.each([['of itself'], ['of the token', EC2]])(
    'verifies it, by the word %s',
    async (_whose, providerID?: string) => {
      const token = await tokenWith({ providerId: EC2, uses: 1 });
      const { code, json } = await make(token, 'n1', providerID === undefined ? undefined : { providerID });
      expect([code, json.spec.providerID, json.metadata.annotations]).toEqual([
        201,
        EC2,
        { 'rollcall.dev/bootstrap-token': 't1', 'rollcall.dev/machine': 'i-0123456789abcdef0 operator' },
      ]);
      expect((await take(token, 'n1')).code).toBe(201);
    },
  );

  it('makes no Node of another machine, nor fetches its token', async () => {
    const token = await tokenWith({ providerId: EC2, uses: 1 });
    expect((await make(token, 'n1', { providerID: 'aws:///eu-central-1a/i-1' })).code).toBe(403);
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n2') });
    expect((await take(token, 'n2')).code).toBe(403);
  });
});

it.each([
  ['a limit that is not known here', { node: 'n1', onlyOnSundays: true }, 't1'],
  ['no limit', {}, 't1'],
  ['no id', { uses: 1 }, ''],
])('a token with %s refuses everything', async (_what, limits, id) => {
  const token = await tokenWith(limits, id);
  const { code, json } = await make(token, 'n1');
  expect([code, json.message]).toEqual([
    403,
    expect.stringContaining('a limit that this control plane does not know'),
  ]);
});

it('a token without limits leaves no trace of them', async () => {
  const { json } = await api.send('POST', NODES, { as: 'bootstrapper', body: nodeBody('n1') });
  expect(json.metadata.annotations).toBeUndefined();
});
