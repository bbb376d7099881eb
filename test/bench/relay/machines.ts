/** The machines of a site: each has a connection of its own, over which it beats. */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { GROUP_NODES, NODE_USER_PREFIX } from '../../../shared/kube/types/well-known.ts';
import { nodeName, uidOf } from '../fleet/fleet.ts';
import type { Answer } from './bare-server.ts';

export interface Machine {
  /** Sends a beat. Rejects when the answer is not 200. */
  beat(): Promise<Answer>;
  close(): void;
}

/** How the machines beat: by plain heartbeats, or by renewals of their Leases as agents do. */
export type BeatKind = 'heartbeat' | 'renewal';

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The token of a node. Its signature is none: the control plane of the bench takes every token. */
const tokenOf = (name: string): string => {
  const claims = { iss: 'rollcall', aud: 'rollcall', sub: `${NODE_USER_PREFIX}${name}`, iat: 1, exp: 4e9 };
  const payload = { ...claims, groups: [GROUP_NODES], node_uid: uidOf(name) };
  return `${base64({ alg: 'HS256', kid: 'k1', typ: 'JWT' })}.${base64(payload)}.${'s'.repeat(43)}`;
};

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** The Lease of a node, as it is stored and as it is renewed. */
export const leaseOf = (name: string): object => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: {
    name,
    namespace: 'kube-node-lease',
    uid: uidOf(`${name}/lease`),
    resourceVersion: '1767571200000',
  },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

const requestOf = (name: string, kind: BeatKind): Buffer => {
  const isPlain = kind === 'heartbeat';
  const line = isPlain ? `POST /apis/rollcall.dev/v1/nodes/${name}/heartbeat` : `PUT ${LEASES}/${name}`;
  const body = isPlain ? '' : JSON.stringify(leaseOf(name));
  const head = `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokenOf(name)}`;
  return Buffer.from(
    `${head}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
};

const OF_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'content-length']);

const answerIn = (text: string): Answer => {
  const end = text.indexOf('\r\n\r\n');
  const pairs = text
    .slice(0, end)
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(': ') as [string, string]);
  const headers = Object.fromEntries(pairs.filter(([name]) => !OF_NODE.has(name.toLowerCase())));
  return { headers, body: text.slice(end + 4) };
};

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && Buffer.byteLength(text) >= end + 4 + length;
};

const exchange = (socket: TLSSocket, request: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const end = (): void => {
      socket.off('data', onData).off('close', onClose);
    };
    const onClose = (): void => reject(new Error('the connection was closed'));
    const onData = (chunk: string): void => {
      text += chunk;
      if (!isWhole(text)) return;
      end();
      resolve(text);
    };
    socket.on('data', onData).on('close', onClose);
    socket.write(request);
  });

const machine = async (name: string, kind: BeatKind, port: number, ca: string): Promise<Machine> => {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  await once(socket, 'secureConnect');
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').setNoDelay(true);
  const request = requestOf(name, kind);
  const beat = async (): Promise<Answer> => {
    const text = await exchange(socket, request);
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.slice(0, 500));
    return answerIn(text);
  };
  await beat();
  return { beat, close: () => socket.destroy() };
};

const AT_ONCE = 32;

/** Machines that have connected and beaten once. */
export const openMachines = async (
  count: number,
  kind: BeatKind,
  port: number,
  ca: string,
): Promise<readonly Machine[]> => {
  const machines: Machine[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) =>
      nodeName(from + index),
    );
    machines.push(...(await Promise.all(names.map((name) => machine(name, kind, port, ca)))));
  }
  return machines;
};

/** All machines beat in turn, evenly at `perSecond`. Resolves with the number of beats. */
export const beatEvenly = async (
  machines: readonly Machine[],
  perSecond: number,
  ms: number,
): Promise<number> => {
  const startedAt = performance.now();
  const beats: Promise<unknown>[] = [];
  for (let elapsed = 0; elapsed < ms; elapsed = performance.now() - startedAt) {
    const due = Math.floor((elapsed * perSecond) / 1_000);
    while (beats.length < due)
      beats.push(machines[beats.length % machines.length]?.beat() ?? Promise.resolve());
    await wait(1);
  }
  await Promise.all(beats);
  return beats.length;
};
