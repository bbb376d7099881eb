/** What lies in the host before it is abused. */
import { GROUP_NODES, NODE_USER_PREFIX } from '../../shared/api/well-known.ts';
import type { Client, Sent } from './client.ts';
import type { AbusedHost } from './host.ts';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

/** Nodes that beat, and one that is for abuse. */
const NODES = 20;
export const NODE = 'hammer';

/** A list of about 10 MB. */
const LARGE = 200;
const LARGE_BYTES = 50_000;
const MARKERS = 2_000;

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const post = (path: string, token: string, body: object): Sent => ({
  method: 'POST',
  path,
  token,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const sendOk = async (client: Client, sent: readonly Sent[]): Promise<void> => {
  const answers = await client.sendAll(sent, 8);
  const failed = answers.find(({ status }) => status === 0 || status >= 300);
  if (failed) throw new Error(`the host cannot be prepared: ${failed.status} ${failed.text}`);
};

const makeMarkers = async (client: Client, token: string): Promise<void> => {
  const names = times(MARKERS, (index) => `marker-${String(index).padStart(6, '0')}`);
  await sendOk(
    client,
    names.map((name) => post(SECRETS, token, { metadata: { name } })),
  );
  await sendOk(
    client,
    names.map((name) => ({ method: 'DELETE', path: `${SECRETS}/${name}`, token })),
  );
};

/** Nodes with their tokens, a large list, and a list of deletion markers. */
export const prepare = async (
  host: AbusedHost,
  client: Client,
): Promise<readonly (readonly [string, string])[]> => {
  const { adminToken } = host;
  const names = times(NODES, (index) => `n${index}`);
  await sendOk(
    client,
    [...names, NODE].map((name) => post('/api/v1/nodes', adminToken, { metadata: { name } })),
  );
  await sendOk(
    client,
    times(LARGE, (index) =>
      post(CONFIG_MAPS, adminToken, {
        metadata: { name: `big-${index}` },
        data: { text: `${index} `.repeat(LARGE_BYTES / 4).slice(0, LARGE_BYTES) },
      }),
    ),
  );
  await makeMarkers(client, adminToken);
  return Promise.all(
    names.map(
      async (name) => [name, await host.tokenFor(`${NODE_USER_PREFIX}${name}`, GROUP_NODES)] as const,
    ),
  );
};
