/** Reading more than a client can take: watches and lists. */
import { setTimeout as wait } from 'node:timers/promises';
import { GROUP_VIEWERS } from '../../shared/kube/types/well-known.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { close, head, onRaw } from './raw.ts';
import { badRefusals, floodWith, must, type Row, statusesOf, times, unexpected } from './row.ts';
import { CONFIG_MAPS } from './setup.ts';

export const READING_ROWS: readonly Row[] = [
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
