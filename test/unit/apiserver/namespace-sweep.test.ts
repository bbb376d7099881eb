import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import { createBackgroundSweep } from '../../../shared/apiserver/api-server.ts';
import type { ObjectStore } from '../../../shared/ports/object-store.ts';
import type { Decide } from '../../../shared/state/object-writer.ts';
import type { TestApi } from './api.ts';
import { createTestApi, MERGE, podBody, START } from './api.ts';

const ALL = '/api/v1/namespaces';
const NS = `${ALL}/ns1`;
const DELAY_MS = 5_000;
const IN_BACKGROUND = { config: { namespaceSweepDelayMs: DELAY_MS } };

const send = (api: TestApi, method: string, path: string, body?: object) =>
  api.send(method, path, {
    as: 'admin',
    ...(body ? { body } : {}),
    ...(method === 'PATCH' ? { type: MERGE } : {}),
  });

const codeOf = async (api: TestApi, method: string, path: string, body?: object): Promise<number> =>
  (await send(api, method, path, body)).code;

const make = async (api: TestApi): Promise<void> => {
  await send(api, 'POST', ALL, { metadata: { name: 'ns1' } });
  await send(api, 'POST', `${NS}/configmaps`, { metadata: { name: 'c' } });
  await send(api, 'POST', `${NS}/pods`, podBody('p'));
  await send(api, 'POST', '/apis/coordination.k8s.io/v1/namespaces/ns1/leases', { metadata: { name: 'l' } });
};

const withObjects = async (): Promise<TestApi> => {
  const api = createTestApi(IN_BACKGROUND);
  await make(api);
  return api;
};

const IN_IT = [
  `${NS}/configmaps/c`,
  `${NS}/pods/p`,
  '/apis/coordination.k8s.io/v1/namespaces/ns1/leases/l',
  `${NS}/serviceaccounts/default`,
];

describe('a deleted namespace that is swept in the background', () => {
  it('gives clients five seconds to delete its objects', async () => {
    const api = await withObjects();
    const sweep = createBackgroundSweep(api);
    expect(await codeOf(api, 'DELETE', NS)).toBe(200);
    api.advance(DELAY_MS - 1);
    await sweep();
    for (const path of IN_IT) expect([path, await codeOf(api, 'DELETE', path)]).toEqual([path, 200]);
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Terminating');
    expect(await codeOf(api, 'POST', `${NS}/configmaps`, { metadata: { name: 'd' } })).toBe(403);
    expect(await codeOf(api, 'POST', ALL, { metadata: { name: 'ns1' } })).toBe(409);
  });

  it('is then emptied and removed', async () => {
    const api = await withObjects();
    await send(api, 'DELETE', NS);
    api.advance(DELAY_MS);
    await createBackgroundSweep(api)();
    for (const path of [...IN_IT, NS]) expect([path, await codeOf(api, 'GET', path)]).toEqual([path, 404]);
    expect(await codeOf(api, 'POST', ALL, { metadata: { name: 'ns1' } })).toBe(201);
  });

  it('is also emptied by a GET of it after that time', async () => {
    const api = await withObjects();
    await send(api, 'DELETE', NS);
    expect(await codeOf(api, 'GET', NS)).toBe(200);
    api.advance(DELAY_MS);
    expect(await codeOf(api, 'GET', NS)).toBe(200);
    expect(await codeOf(api, 'GET', NS)).toBe(404);
  });

  it('does not wait for a clock that was set back', async () => {
    const api = await withObjects();
    await send(api, 'DELETE', NS);
    api.advance(-3_600_000);
    await createBackgroundSweep(api)();
    expect(await codeOf(api, 'GET', NS)).toBe(404);
  });

  it('is swept again every five seconds while objects are left', async () => {
    const api = await withObjects();
    await send(api, 'POST', `${NS}/configmaps`, { metadata: { name: 'held', finalizers: ['a.b/c'] } });
    const sweep = createBackgroundSweep(api);
    await send(api, 'DELETE', NS);
    api.advance(DELAY_MS);
    await sweep();
    // Whoever looks at the object does not look at the namespace: only the sweep can let it go.
    await api.writer.write({ resource: 'configmaps', namespace: 'ns1', name: 'held' }, () => ({
      next: 'delete',
      writer: 'client',
    }));
    const isThere = async () =>
      (await api.objects.read({ resource: 'namespaces', namespace: '', name: 'ns1' }))?.state === 'live';
    api.advance(DELAY_MS - 1);
    await sweep();
    expect(await isThere()).toBe(true);
    api.advance(1);
    await sweep();
    expect(await isThere()).toBe(false);
  });

  it('is also emptied without controllers, despite finalizers that wait for a garbage collector', async () => {
    const api = createTestApi({ ...IN_BACKGROUND, controllers: 'none' });
    await make(api);
    const body = { metadata: { name: 'owner', finalizers: ['orphan'] } };
    await send(api, 'POST', `${NS}/configmaps`, body);
    await send(api, 'DELETE', NS);
    api.advance(DELAY_MS);
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Terminating');
    await createBackgroundSweep(api)();
    expect(await codeOf(api, 'GET', NS)).toBe(404);
  });

  it('does not delay the sweep of others when its sweep fails', async () => {
    const { objects, ...state } = createMemoryState();
    let isFailing = true;
    const page: ObjectStore['page'] = async (query) => {
      if (isFailing && query.namespace === 'ns1') throw new Error('broken');
      return objects.page(query);
    };
    const api = createTestApi({ ...IN_BACKGROUND, state: { ...state, objects: { ...objects, page } } });
    await make(api);
    await send(api, 'POST', ALL, { metadata: { name: 'ns2' } });
    for (const path of [NS, `${ALL}/ns2`]) await send(api, 'DELETE', path);
    api.advance(DELAY_MS);
    const sweep = createBackgroundSweep(api);
    await sweep();
    expect(api.failures).toMatchObject([{ path: NS, at: START + DELAY_MS }]);
    expect(await codeOf(api, 'GET', `${ALL}/ns2`)).toBe(404);
    isFailing = false;
    api.advance(DELAY_MS);
    await sweep();
    expect(await codeOf(api, 'GET', NS)).toBe(404);
  });
});

describe('a deletion in a namespace that is being deleted', () => {
  /** The answer to a deletion while which, between its read and its commit, somebody looks at the namespace. */
  const answerWithLookBetween = async (options: object): Promise<number> => {
    const { objects, ...state } = createMemoryState();
    let between: (() => Promise<unknown>) | undefined;
    const commit: ObjectStore['commit'] = async (change) => {
      const look = change.key.name === 'c' && change.next === 'marker' ? between : undefined;
      if (look) between = undefined;
      await look?.();
      return objects.commit(change);
    };
    const clock = createVirtualClock();
    const api = createTestApi({ ...options, clock, state: { ...state, objects: { ...objects, commit } } });
    await api.tokenFor('admin');
    await clock.run(make(api));
    const begin: Decide = (row) => {
      if (row?.state !== 'live') return undefined;
      const metadata = { ...row.object.metadata, deletionTimestamp: new Date(api.clock.now()).toISOString() };
      return { next: { ...row.object, metadata }, writer: 'client' };
    };
    await clock.run(api.writer.write({ resource: 'namespaces', namespace: '', name: 'ns1' }, begin));
    between = () => send(api, 'GET', NS);
    return clock.run(codeOf(api, 'DELETE', `${NS}/configmaps/c`));
  };

  it('succeeds while the sweep still waits', async () => {
    expect(await answerWithLookBetween(IN_BACKGROUND)).toBe(200);
  });

  it('is a 404 if the sweep was faster, as in Kubernetes', async () => {
    expect(await answerWithLookBetween({})).toBe(404);
  });
});
