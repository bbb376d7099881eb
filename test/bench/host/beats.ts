/** Beats of nodes: their tokens, their requests, and connections that carry them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKeySet } from '../../../shared/adapters/secrets/key-set.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { GROUP_NODES, NODE_USER_PREFIX } from '../../../shared/kube/types/well-known.ts';
import type { SigningKeys } from '../../../shared/ports/outside/signing-keys.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { type Connection, openConnection } from '../fleet/connection.ts';
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
  return Promise.all(Array.from({ length: count }, () => openConnection(port, ca)));
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
