/** A client that costs little: HTTP by hand over TLS connections that stay, one request at a time on each. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { parseKeySet } from '../../../shared/adapters/secrets/key-set.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { GROUP_NODES, NODE_USER_PREFIX } from '../../../shared/kube/types/well-known.ts';
import type { SigningKeys } from '../../../shared/ports/outside/signing-keys.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { nodeName, uidOf } from '../fleet/fleet.ts';

const DAY_MS = 24 * 3_600_000;

/** A token of each node, by the key of the host in the folder. */
export const nodeTokens = async (folder: string, names: readonly string[]): Promise<readonly string[]> => {
  const path = join(folder, 'signing-key.json');
  const keys = parseKeySet(readFileSync(path, 'utf8'), path);
  const signingKeys: SigningKeys = {
    current: async () => keys.current,
    find: async (kid) => keys.secrets.get(kid),
  };
  const now = Date.now();
  const claims = { groups: [GROUP_NODES], issuedAt: now, expiresAt: now + DAY_MS };
  return inParallel(names, 16, (name) => {
    const subject = { ...claims, name: `${NODE_USER_PREFIX}${name}`, nodeUid: uidOf(name) };
    return issueToken({ signingKeys, clusterId: 'rollcall' }, subject);
  });
};

/** Names of the first nodes of a fleet. */
export const namesOf = (nodes: number): readonly string[] =>
  Array.from({ length: nodes }, (_, index) => nodeName(index));

/** The request of a plain heartbeat. */
export const heartbeatRequest = (name: string, token: string): Buffer => {
  const head = `POST /apis/rollcall.dev/v1/nodes/${name}/heartbeat HTTP/1.1\r\nHost: localhost\r\n`;
  return Buffer.from(`${head}Authorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`);
};

/** Requests of one beat of each node, with the token that is its own. */
export const beatRequests = async (folder: string, nodes: number): Promise<readonly Buffer[]> => {
  const names = namesOf(nodes);
  const tokens = await nodeTokens(folder, names);
  return names.map((name, index) => heartbeatRequest(name, tokens[index] ?? ''));
};

export interface Connection {
  /** Sends a request; resolves with its whole answer. Rejects when its status is not 200 or 201. */
  exchange(request: Buffer): Promise<string>;
  /** Sends a request; resolves with the milliseconds until its whole answer. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

const END_OF_HEAD = '\r\n\r\n';

const isWhole = (answer: string): boolean => {
  const end = answer.indexOf(END_OF_HEAD);
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
  return end >= 0 && Buffer.byteLength(answer) >= end + END_OF_HEAD.length + length;
};

const exchanger = (socket: TLSSocket): Connection['exchange'] => {
  let answer = '';
  let settle: (() => void) | undefined;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    answer += chunk;
    if (isWhole(answer)) settle?.();
  });
  return (request) =>
    new Promise((resolve, reject) => {
      answer = '';
      settle = () => {
        if (/^HTTP\/1.1 20[01]/.test(answer)) resolve(answer);
        else reject(new Error(answer.slice(0, 500)));
      };
      socket.once('close', reject);
      socket.write(request, () => socket.removeListener('close', reject));
    });
};

const open = async (port: number, ca: string): Promise<Connection> => {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
  // A host that stops hangs up; the bench has its figures by then.
  socket.on('error', () => undefined);
  const exchange = exchanger(socket);
  const send = async (request: Buffer): Promise<number> => {
    const startedAt = performance.now();
    await exchange(request);
    return performance.now() - startedAt;
  };
  return { exchange, send, close: () => socket.destroy() };
};

/** The port of the host in the folder. */
export const portOf = (folder: string): number =>
  (JSON.parse(readFileSync(join(folder, 'host.json'), 'utf8')) as { readonly port: number }).port;

/** Opens connections to the host in the folder, or to another port with its certificate. */
export const openConnections = (
  folder: string,
  count: number,
  port = portOf(folder),
): Promise<readonly Connection[]> => {
  const ca = readFileSync(join(folder, 'ca.crt'), 'utf8');
  return Promise.all(Array.from({ length: count }, () => open(port, ca)));
};

/** Sends as fast as answers come, in turn for all nodes, and returns each latency (ms). */
export const beatFor = async (
  connections: readonly Connection[],
  requests: readonly Buffer[],
  ms: number,
): Promise<readonly number[]> => {
  const latencies: number[] = [];
  const until = performance.now() + ms;
  let next = 0;
  const work = async ({ send }: Connection): Promise<void> => {
    while (performance.now() < until) {
      const request = requests[next++ % requests.length];
      if (request) latencies.push(await send(request));
    }
  };
  await Promise.all(connections.map(work));
  return latencies;
};
