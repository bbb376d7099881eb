import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_LIMITS, listenerLimits } from '../../../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../../../gateway/serve.ts';
import { createUpstream } from '../../../../gateway/upstream/upstream.ts';
import { systemClock as clock } from '../../../../shared/adapters/system/clock.ts';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { type Listener, startListener } from '../../../../shared/serving/http/listener.ts';
import { createHostLog } from '../../../../shared/serving/machine/host-log.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { createTestApi, NODES, PODS, podBody, type TestApi } from '../../../support/servers/api.ts';
import { type FakeChannel, openFakeChannel } from '../../../support/servers/fake-agent-channel.ts';
import { type FakeNodeServer, startFakeNodeServer } from '../../../support/servers/fake-node-server.ts';
import { startHttpApi } from '../../../support/servers/http-api.ts';

const LOG = `${PODS}/x/log`;
const ends: (() => unknown)[] = [];
let api: TestApi;
let ca: CertifiedKey;
let node: FakeNodeServer;
let listener: Listener;
let nodeToken: string;

beforeEach(async () => {
  api = createTestApi({ clock });
  node = await startFakeNodeServer();
  ca = await createAuthority(Date.now());
  const tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
  const metadata = { name: 'n1', annotations: { 'rollcall.dev/serving-certificate': node.fingerprint } };
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
  };
  await api.send('POST', NODES, { as: 'admin', body: { metadata, status } });
  await api.send('POST', PODS, { as: 'admin', body: podBody('x', { nodeName: 'n1' }) });
  nodeToken = (await api.send('POST', '/apis/rollcall.dev/v1/nodes/n1/token', { as: 'admin' })).json.status
    .token;
  const http = await startHttpApi({ serve: api.serve });
  const upstream = createUpstream({ url: http.url, timeoutMs: 60_000, maxSockets: 64 });
  const token = (await api.tokenFor('admin')) ?? '';
  const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
  listener = await startListener({
    tls,
    limits: listenerLimits(GATEWAY_LIMITS),
    host: '127.0.0.1',
    port: 0,
    onError: () => undefined,
    serve: createGatewayServe({
      upstream,
      hostLog,
      clock,
      random: () => 0.5,
      limits: GATEWAY_LIMITS,
      advertised: { url: 'https://gateway.example:6443/', certificate: tls.certificate, token },
    }),
  });
  ends.push(() => listener.stop(0), node.close, upstream.close, http.stop);
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const get = async (path: string, token: string): Promise<IncomingMessage> => {
  const { port } = listener;
  const headers = { authorization: `Bearer ${token}` };
  const sent = request({ host: '127.0.0.1', port, ca: ca.certificate, path, headers, agent: false });
  sent.on('error', () => undefined).end();
  return ((await once(sent, 'response')) as [IncomingMessage])[0];
};

const open = async (token: string): Promise<FakeChannel> => {
  const url = `https://127.0.0.1:${listener.port}/apis/rollcall.dev/v1/nodes/n1/channel`;
  const channel = await openFakeChannel(node, { url, token, ca: ca.certificate });
  ends.push(channel.close);
  return channel;
};

const callInWork = async (): Promise<{ readonly url: string; readonly certificate: string } | undefined> =>
  (await api.send('GET', '/apis/rollcall.dev/v1/nodes/n1/work')).json.channel;

describe('a gateway that nodes can reach', () => {
  it('calls a node to which it cannot connect, and goes through its channel', async () => {
    const answered = api.tokenFor('admin').then((token) => get(`${LOG}?tailLines=1`, token ?? ''));
    const call = await eventually('the node is called', 10_000, callInWork);
    expect(call).toEqual({
      id: expect.any(String),
      url: 'https://gateway.example:6443/',
      certificate: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await open(nodeToken);
    const response = await answered;
    expect([response.statusCode, await text(response)]).toEqual([200, 'line 1\nline 2\n']);
  });

  it('takes a channel of the node only', async () => {
    const viewer = (await api.tokenFor('viewer')) ?? '';
    await expect(open(viewer)).rejects.toThrow('403');
    await expect(open('x')).rejects.toThrow('401');
  });
});
