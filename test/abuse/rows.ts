/** What is done to the host, one kind of abuse after another. */
import { setTimeout as wait } from 'node:timers/promises';
import { GROUP_NODES, GROUP_VIEWERS, NODE_USER_PREFIX } from '../../shared/kube/types/well-known.ts';
import type { Abuse, AbusiveRequest } from '../support/abuse/abuse.ts';
import { ABUSES } from '../support/abuse/requests.ts';
import type { Client, Sent } from './client.ts';
import { IDENTITY_ROWS } from './identity-rows.ts';
import { STALL_MS } from './limits.ts';
import { close, codes, head, onRaw } from './raw.ts';
import { READING_ROWS } from './reading-rows.ts';
import { RELAY_ROWS } from './relay-rows.ts';
import {
  type Abusing,
  badRefusals,
  floodWith,
  must,
  type Row,
  statusesOf,
  times,
  unexpected,
} from './row.ts';
import { CONFIG_MAPS, NODE } from './setup.ts';

const HALF = Buffer.alloc(2_000_000, ' ');
const BODY = '3000000';

const halfSentBodies = async (client: Client, token: string | undefined): Promise<readonly number[]> => {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...authorization, 'content-type': 'application/json', 'content-length': BODY };
  const sockets = await onRaw(client, 100, () => undefined);
  const seen = codes(sockets);
  for (const socket of sockets) {
    socket.write(`${head('POST', '/api/v1/nodes', headers)}\r\n`);
    socket.write(HALF);
  }
  await wait(3_000);
  close(sockets);
  return seen();
};

const TABS = /(.{5})$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Other spellings of one token, and forged ones. */
const variantOf = (token: string, index: number): string => {
  const variants = [
    `${token}${'='.repeat(1 + (index % 50))}`,
    token.replace(TABS, `${'\t'.repeat(1 + (index % 50))}$1`),
    `${token.slice(0, -1)}${ALPHABET[(ALPHABET.indexOf(token.slice(-1)) + 1 + (index % 3)) % 64]}`,
    `${token.slice(0, -10)}${String(index).padStart(10, 'A')}`,
  ];
  return variants[index % variants.length] ?? token;
};

const asSent = ({ method, path, headers, body }: AbusiveRequest, token: string): Sent => ({
  method,
  path,
  token,
  headers,
  body,
});

/** Sends one kind of body, header or URL, as large as it may be; each by itself, so that whatever stalls the host is named. */
const tryAbuse = async (
  { host, client }: Abusing,
  { name, before, request, largest }: Abuse,
): Promise<readonly string[]> => {
  for (const one of before?.(largest) ?? []) await client.send(asSent(one, host.adminToken));
  await host.ask('figures');
  const { status } = await client.send(asSent(request(largest), host.adminToken));
  const { stallMs } = await host.ask('figures');
  return [
    // Headers that are too long are refused while they come: whether the answer arrives is chance.
    ...must(status < 500, `${name}: an answer of ${status}`),
    ...must(
      stallMs <= STALL_MS,
      `${name}: the host did not listen for ${stallMs.toFixed(0)} ms of the processor`,
    ),
  ];
};

export const ROWS: readonly Row[] = [
  ...IDENTITY_ROWS,
  {
    name: 'bodies, headers and URLs that are hard to read',
    abuse: async (abusing) => {
      const wrong: string[] = [];
      for (const abuse of ABUSES) wrong.push(...(await tryAbuse(abusing, abuse)));
      return wrong;
    },
  },
  {
    name: 'anonymous requests for paths that nobody serves',
    abuse: async ({ client, round }) => {
      const answers = await client.sendAll(
        times(3_000, (index) => ({
          method: ['GET', 'POST', 'MKCOL'][index % 3] ?? 'GET',
          path:
            [`/p${round}-${index}`, `/api/v1/r${round}-${index}`, `/apis/g${index}/v1/nodes/n/s${index}`][
              index % 3
            ] ?? '',
        })),
      );
      return [...unexpected(statusesOf(answers), [401, 403, 404, 405, 429]), ...badRefusals(answers)];
    },
  },
  {
    name: 'spellings of one token',
    abuse: async ({ host, client, round }) => {
      const token = await host.tokenFor(`spelled-${round}`, GROUP_VIEWERS);
      const answers = await client.sendAll(
        times(3_000, (index) => ({ path: CONFIG_MAPS, token: variantOf(token, index) })),
      );
      return unexpected(statusesOf(answers), [401, 429]);
    },
  },
  {
    name: 'bodies of strangers that are half sent',
    abuse: async ({ client }) => {
      const statuses = await halfSentBodies(client, undefined);
      return must(
        statuses.every((status) => [0, 401, 403].includes(status)) &&
          statuses.filter((status) => status !== 0).length >= statuses.length / 2,
        `answers of ${[...new Set(statuses)].join(', ')} where nobody may send a body`,
      );
    },
  },
  {
    name: 'bodies of an administrator that are half sent',
    abuse: async ({ host, client }) => {
      const statuses = await halfSentBodies(client, host.adminToken);
      const waiting = statuses.filter((status) => status === 0).length;
      return [
        ...must(statuses.includes(429), 'none of 100 bodies of 3 MB was one too many'),
        // Five are waited for; some clients hear of the end of their connection first.
        ...must(waiting <= 50, `${waiting} bodies of 3 MB are waited for, of one identity`),
      ];
    },
  },
  {
    name: 'headers that never end',
    abuse: async ({ client }) => {
      const sockets = await onRaw(client, 600, (socket) => void socket.write('GET / HTTP/1.1\r\nx: '));
      for (let step = 0; step < 5; step += 1) {
        for (const socket of sockets) socket.write('y');
        await wait(200);
      }
      close(sockets);
      return [];
    },
  },
  {
    name: 'handshakes by the hundred',
    abuse: async ({ client }) => {
      for (let step = 0; step < 3; step += 1) close(await onRaw(client, 300, () => undefined));
      return [];
    },
  },
  {
    name: 'requests that do not wait for answers',
    abuse: async ({ host, client }) => {
      const headers = { authorization: `Bearer ${host.adminToken}` };
      const many = `${head('GET', `${CONFIG_MAPS}?limit=1`, headers)}\r\n`.repeat(400);
      const sockets = await onRaw(client, 50, (socket) => void socket.resume().write(many));
      await wait(1_000);
      close(sockets);
      return [];
    },
  },
  {
    name: 'beats of one node as fast as it can',
    abuse: async ({ host, client }) => {
      const token = await host.tokenFor(`${NODE_USER_PREFIX}${NODE}`, GROUP_NODES);
      const path = `/apis/rollcall.dev/v1/nodes/${NODE}/heartbeat`;
      const answers = await floodWith(client, 3, 64, () => ({ method: 'POST', path, token }));
      return [...unexpected(statusesOf(answers), [200, 429]), ...badRefusals(answers)];
    },
  },
  {
    name: 'Nodes that 32 clients create and delete',
    abuse: async ({ host, client, round }) => {
      const sent = { token: host.adminToken, headers: { 'content-type': 'application/json' } };
      const names: string[] = [];
      const created = await floodWith(client, 3, 32, () => {
        const name = `made-${round}-${names.length}`;
        names.push(name);
        return {
          ...sent,
          method: 'POST',
          path: '/api/v1/nodes',
          body: JSON.stringify({ metadata: { name } }),
        };
      });
      const deleted = await client.sendAll(
        names.map((name) => ({ ...sent, method: 'DELETE', path: `/api/v1/nodes/${name}` })),
        32,
      );
      return [...unexpected(statusesOf(created), [201]), ...unexpected(statusesOf(deleted), [200])];
    },
  },
  ...READING_ROWS,
  ...RELAY_ROWS,
];
