/** What lies in the host before it is abused. */
import { createGroupCommit } from '../../host/folder/group-commit.ts';
import { openSqliteState } from '../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { GROUP_NODES, NODE_USER_PREFIX } from '../../shared/kube/types/well-known.ts';
import { pathsOf } from '../../shared/serving/machine/files.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { Client, Sent } from './client.ts';
import type { AbusedHost } from './host.ts';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Nodes that beat, and one that is for abuse. */
const NODES = 20;
export const NODE = 'hammer';

/** A list of about 10 MB. */
const LARGE = 200;
const LARGE_BYTES = 50_000;
const MARKERS = 20_000;

/** Writers at a time: as many as share a sync. */
const WRITERS = 128;

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

/** Secrets that were made and deleted, in the folder of a host that does not run yet: over HTTPS they take minutes. */
export const storeMarkers = async (folder: string): Promise<void> => {
  const state = openSqliteState({ folder: pathsOf(folder).state, clock });
  const { urgent: commit } = createGroupCommit(state.commitTogether);
  const writer = createObjectWriter({ ...state, objects: { ...state.objects, commit }, clock, ids });
  await inParallel(
    times(MARKERS, (index) => `marker-${String(index).padStart(6, '0')}`),
    WRITERS,
    async (name) => {
      const key = { resource: 'secrets', namespace: 'default', name };
      const metadata = { name, namespace: 'default', uid: ids.uuid() };
      const next = { apiVersion: 'v1', kind: 'Secret', metadata };
      await writer.write(key, () => ({ next, writer: 'client' }));
      await writer.write(key, () => ({ next: 'delete', writer: 'client' }));
    },
  );
  state.close();
};

/** Nodes with their tokens, and a large list. */
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
  return Promise.all(
    names.map(
      async (name) => [name, await host.tokenFor(`${NODE_USER_PREFIX}${name}`, GROUP_NODES)] as const,
    ),
  );
};
