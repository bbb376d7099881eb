/** The agent's server over a process runtime of this machine, and a control plane that signs tokens for it. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { servingCertificate } from '../../../../agent/adapters/serving-certificate.ts';
import { createSystemClock } from '../../../../agent/adapters/system-clock.ts';
import type { ServedPods } from '../../../../agent/ports/pods/served-pods.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { createTokenCheck } from '../../../../agent/server/check-token.ts';
import { type NodeServer, startNodeServer } from '../../../../agent/server/node-server.ts';
import { createLogHandler } from '../../../../agent/server/serve-logs.ts';
import { createUpgradeHandler } from '../../../../agent/server/serve-streams.ts';
import { createSessionKeys } from '../../../../agent/server/session-keys.ts';
import type { RuntimeMachine } from './runtime-machine.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface NodeServerHere {
  readonly server: NodeServer;
  /** Changes what the agent has of its pod. */
  readonly pods: Map<string, AgentPod>;
  /** Pods of the node in the API that the agent has not read. */
  readonly unread: Map<string, AgentPod>;
  /** A token for one request. */
  token(url: string, claims?: object): string;
  get(url: string, token?: string): Promise<Answer>;
  /** The answer as it comes. */
  stream(url: string): Promise<IncomingMessage>;
  webSocket(url: string, protocol: string): WebSocket;
  /** A connection that was changed to SPDY/3.1. */
  spdy(url: string, protocol: string): Promise<Duplex>;
  close(): void;
}

const CLUSTER = 'test';
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const servedPods = (
  { runtime }: RuntimeMachine,
  pods: ReadonlyMap<string, AgentPod>,
  unread: ReadonlyMap<string, AgentPod>,
): ServedPods => ({
  find: (namespace, name) => pods.get(`${namespace}/${name}`),
  read: async (namespace, name) => unread.get(`${namespace}/${name}`),
  streams: runtime().streams,
  isRunning: async (uid, id) =>
    (await runtime().pod(uid))?.containers.some((one) => one.id === id && one.state === 'running') ?? false,
  onChange: (callback) => runtime().onChange(callback),
});

export const startNodeServerHere = async (machine: RuntimeMachine): Promise<NodeServerHere> => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const clock = createSystemClock(new AbortController().signal);
  const nodeUid = randomUUID();
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }];
  const answer = async () => ({ status: 200, body: { keys }, headers: { date: new Date().toUTCString() } });
  const sessionKeys = createSessionKeys({ request: answer }, clock);
  const pods = new Map<string, AgentPod>();
  const unread = new Map<string, AgentPod>();
  const served = servedPods(machine, pods, unread);
  const log = (): void => {};
  const { pem } = await servingCertificate(machine.folder, 'm1', Date.now());
  const server = await startNodeServer({
    address: '127.0.0.1',
    port: 0,
    pem,
    log,
    idleMs: 60_000,
    check: createTokenCheck(sessionKeys, () => ({ clusterId: CLUSTER, nodeUid })),
    handlers: {
      logs: createLogHandler({ pods: served, clock }),
      upgrade: createUpgradeHandler({ pods: served }),
      pages: {},
    },
  });
  const token = (url: string, claims: object = {}): string => {
    const [path = '', query = ''] = url.split('?');
    const now = Math.floor(Date.now() / 1000);
    const payload = base64({
      iss: CLUSTER,
      aud: `https://rollcall.dev/nodes/${nodeUid}`,
      sub: 'me',
      jti: randomUUID(),
      iat: now,
      exp: now + 60,
      'rollcall.dev/request': { path, query },
      ...claims,
    });
    const signed = `${base64({ alg: 'EdDSA', kid: 'k' })}.${payload}`;
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const base = { host: '127.0.0.1', port: server.port, rejectUnauthorized: false, agent: false } as const;
  const ask = (url: string, bearer: string, headers: Readonly<Record<string, string>> = {}): ClientRequest =>
    request({ ...base, path: url, headers: { authorization: `Bearer ${bearer}`, ...headers } }).end();
  const answered = (asked: ClientRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => asked.once('response', resolve).once('error', reject));
  return {
    server,
    pods,
    unread,
    token,
    get: async (url, bearer = token(url)) => {
      const response = await answered(ask(url, bearer));
      let body = '';
      for await (const chunk of response) body += String(chunk);
      return { status: response.statusCode ?? 0, body };
    },
    stream: (url) => answered(ask(url, token(url))),
    webSocket: (url, protocol) =>
      new WebSocket(`wss://127.0.0.1:${server.port}${url}`, protocol, {
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token(url)}` },
      }),
    spdy: (url, protocol) =>
      new Promise((resolve, reject) => {
        const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
        const asked = ask(url, token(url), headers);
        asked.once('upgrade', (_, socket) => resolve(socket));
        asked.once('response', ({ statusCode }) => reject(new Error(`answered ${statusCode ?? 0}`)));
        asked.once('error', reject);
      }),
    close: server.close,
  };
};
