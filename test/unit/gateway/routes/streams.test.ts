import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NODES, PODS, podBody } from '../../../support/servers/api.ts';
import { type FakeNodeServer, startFakeNodeServer } from '../../../support/servers/fake-node-server.ts';
import { createGatewayWorld, type GatewayWorld } from '../../../support/servers/gateway-world.ts';

let world: GatewayWorld;
let node: FakeNodeServer;

beforeEach(async () => {
  [world, node] = await Promise.all([createGatewayWorld(), startFakeNodeServer()]);
  const body = {
    metadata: { name: 'n1', annotations: { 'rollcall.dev/serving-certificate': node.fingerprint } },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: node.port } },
    },
  };
  await world.api.send('POST', NODES, { as: 'admin', body });
  await world.api.send('POST', PODS, { as: 'admin', body: podBody('x', { nodeName: 'n1' }) });
});

afterEach(() => Promise.all([world.stop(), node.close()]));

const answered = async (as: string, path: string, headers: object = {}) => {
  const { response } = await world.openAs(await world.api.tokenFor(as), `${PODS}/${path}`, headers);
  const body = response.bytes ? await text(response.bytes) : Buffer.from(response.body).toString();
  return [response.status, body.startsWith('{') ? JSON.parse(body).message : body];
};

describe('streams through the gateway', () => {
  it('come from the node, with a token of the API behind; the client’s own stays here', async () => {
    expect(await answered('viewer', 'x/log?tailLines=1')).toEqual([200, 'line 1\nline 2\n']);
    const [asked] = node.asked;
    expect(asked?.line).toBe('GET /containerLogs/default/x/c?tailLines=1');
    const token = asked?.headers.authorization?.split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toMatchObject({
      sub: 'viewer',
      'rollcall.dev/request': { path: '/containerLogs/default/x/c', query: 'tailLines=1' },
    });
  });

  it('are refused by the API behind, in its words', async () => {
    expect((await answered('viewer', 'x/exec?command=ls&stdout=1'))[0]).toBe(403);
    expect(await answered('admin', 'gone/log')).toEqual([404, 'pods "gone" not found']);
    expect(await answered('admin', 'x/exec?command=ls&stdout=1')).toEqual([400, 'Upgrade request required']);
    expect((await answered('system:node:n1', 'x/log'))[0]).toBe(403);
    expect(node.asked).toEqual([]);
  });

  it('an upgrade is handed over', async () => {
    const url = `${PODS}/x/exec?command=ls&stdout=1`;
    const token = await world.api.tokenFor('admin');
    const { response } = await world.openAs(token, url, { connection: 'Upgrade', upgrade: 'SPDY/3.1' });
    expect(response.upgrade).toBeTypeOf('function');
    expect(node.asked[0]?.line).toMatch(/^GET \/exec\/default\/x\/[\w-]+\/c\?command=ls&output=1$/);
  });
});
