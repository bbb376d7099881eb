/** Reading more than one can take: watches and lists by clients, answers of nodes by the host. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { GROUP_VIEWERS } from '../../shared/kube/types/well-known.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { type HostileNodes, MANNERS, startHostileNodes } from '../support/abuse/hostile-nodes.ts';
import type { Client } from './client.ts';
import { close, head, onRaw } from './raw.ts';
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
import { CONFIG_MAPS } from './setup.ts';

const HOSTILE = 64;
const TOP_SECONDS = 20;
/** Resident memory (MB) that the host may take besides what it had: 64 answers are begun at a time, and none is kept beyond 4 MB. */
const MOST_MB = 300;

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Looks until it is stopped; the growth since the beginning. */
const watchMemory = (pid: number) => {
  const before = residentMb(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMb(pid));
  }, 100);
  return (): number => {
    clearInterval(timer);
    return most - before;
  };
};

const addHostile = ({ host, client, round }: Abusing, { port, fingerprint }: HostileNodes) => {
  const names = times(HOSTILE, (index) => `${MANNERS[index % MANNERS.length]}-${round}-${index}`);
  const status = {
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() }],
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  const annotations = { 'rollcall.dev/serving-certificate': fingerprint };
  const sent = names.map((name) => ({
    method: 'POST',
    path: '/api/v1/nodes',
    token: host.adminToken,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name, annotations }, status }),
  }));
  return { names, added: client.sendAll(sent, 8) };
};

/** As `kubectl top` asks, again and again. */
const top = (client: Client, token: string) =>
  floodWith(client, TOP_SECONDS, 2, (index) => ({
    path: `/apis/metrics.k8s.io/v1beta1/${index % 2 === 0 ? 'nodes' : 'pods'}`,
    token,
  }));

const askHostile = async (abusing: Abusing, nodes: HostileNodes): Promise<readonly string[]> => {
  const { host, client } = abusing;
  const { names, added } = addHostile(abusing, nodes);
  const statuses = statusesOf(await added);
  const memory = watchMemory(host.pid);
  const answers = await top(client, host.adminToken);
  const grownMb = memory();
  const honest = names.filter((name) => name.startsWith('honest'));
  const missing = honest.filter((name) => !answers.some(({ text }) => text.includes(`"${name}"`)));
  const paths = names.map((name) => `/api/v1/nodes/${name}`);
  await client.sendAll(paths.map((path) => ({ method: 'DELETE', path, token: host.adminToken })));
  return [
    ...unexpected(statuses, [201]),
    ...unexpected(statusesOf(answers), [200, 429]),
    ...must(missing.length === 0, `no metrics of ${missing.join(', ')}`),
    ...must(grownMb <= MOST_MB, `the host took ${grownMb.toFixed(0)} MB more`),
  ];
};

export const READING_ROWS: readonly Row[] = [
  {
    name: 'nodes that answer too much, too slowly, or never',
    abuse: async (abusing) => {
      const nodes = await startHostileNodes();
      return askHostile(abusing, nodes).finally(() => void nodes.close());
    },
  },
  {
    name: 'watches by the thousand, of ten identities',
    abuse: async ({ host, client }) => {
      const path = '/api/v1/nodes?watch=1';
      const tokens = await Promise.all(
        times(10, (index) => host.tokenFor(`watcher-${index}`, GROUP_VIEWERS)),
      );
      const statuses = await inParallel(
        times(1_000, (index) => index),
        500,
        (index) => client.open({ path, token: tokens[index % tokens.length] }, true),
      );
      const changes = await client.sendAll(
        times(20, (index) => ({
          method: 'PATCH',
          path: `/api/v1/nodes/n${index}`,
          token: host.adminToken,
          headers: { 'content-type': 'application/merge-patch+json' },
          body: JSON.stringify({ metadata: { labels: { at: `${performance.now()}`.replace('.', '-') } } }),
        })),
        4,
      );
      const open = statuses.filter((status) => status === 200).length;
      return [
        // Of so many connections at once some may have to make room.
        ...unexpected(statuses, [0, 200, 429]),
        // Those that were cut meanwhile count, too.
        ...must(open > 500, `${open} watches of one address were answered`),
        ...unexpected(statusesOf(changes), [200, 429]),
      ];
    },
  },
  {
    name: 'large lists that nobody reads',
    abuse: async ({ host, client }) => {
      const list = `${head('GET', CONFIG_MAPS, { authorization: `Bearer ${host.adminToken}` })}\r\n`;
      const sockets = await onRaw(client, 40, (socket) => void socket.pause().write(list));
      await wait(4_000);
      close(sockets);
      return [];
    },
  },
  {
    name: 'watches behind many changes of a large object',
    abuse: async ({ host, client, round }) => {
      const { adminToken: token } = host;
      const body = (n: number): string =>
        JSON.stringify({ metadata: { name: `long-${round}` }, data: { text: `${n} `.repeat(500_000) } });
      const json = { 'content-type': 'application/json' };
      const made = await client.send({
        method: 'POST',
        path: CONFIG_MAPS,
        token,
        headers: json,
        body: body(0),
      });
      const { resourceVersion } = (JSON.parse(made.text) as { metadata: { resourceVersion: string } })
        .metadata;
      const object = `${CONFIG_MAPS}/long-${round}`;
      const changes = await client.sendAll(
        times(30, (n) => ({ method: 'PUT', path: object, token, headers: json, body: body(1 + (n % 9)) })),
        2,
      );
      const watch = `${CONFIG_MAPS}?watch=1&timeoutSeconds=8&resourceVersion=${resourceVersion}`;
      const watches = await client.sendAll(
        times(4, () => ({ path: watch, token })),
        4,
      );
      const gone = await client.send({ method: 'DELETE', path: object, token });
      const seen = watches.map(({ text }) => text.split('\n').length - 1);
      return [
        ...unexpected(statusesOf([...changes, gone]), [200]),
        ...must(
          seen.every((count) => count >= 30),
          `watches saw ${seen.join(', ')} of 30 changes`,
        ),
      ];
    },
  },
  {
    name: 'lists of a hundred identities at one address',
    abuse: async ({ host, client }) => {
      const tokens = await Promise.all(times(100, (index) => host.tokenFor(`user-${index}`, GROUP_VIEWERS)));
      const path = `${CONFIG_MAPS}?limit=20`;
      const answers = await floodWith(client, 4, 300, (index) => ({ path, token: tokens[index % 100] }));
      return [...unexpected(statusesOf(answers), [0, 200, 429]), ...badRefusals(answers)];
    },
  },
  {
    name: 'one item of a list behind thousands of deletion markers',
    abuse: async ({ host, client }) => {
      const path = '/api/v1/namespaces/default/secrets?limit=1';
      const answers = await client.sendAll(
        times(20, () => ({ path, token: host.adminToken })),
        2,
      );
      return unexpected(statusesOf(answers), [200]);
    },
  },
];
