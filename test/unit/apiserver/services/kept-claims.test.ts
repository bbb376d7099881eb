import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { createTestApi, type Json, MERGE, type TestApi } from '../../../support/servers/api.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const IP = '10.96.0.7';
const CONFIG = { serviceRanges: ['10.96.0.0/12'] };
const rowOf = (name = IP): ObjectKey => ({ resource: 'ipaddresses', namespace: '', name });

const post = (api: TestApi, name: string, spec: object = { clusterIP: IP }) =>
  api.send('POST', SERVICES, {
    as: 'admin',
    body: { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } },
  });

/** A store that stores the next Service and then fails; after that no row of an address can be read. */
const failingWorld = () => {
  const state = createMemoryState();
  let isAway = false;
  const failure = { isNext: false };
  const objects: typeof state.objects = {
    ...state.objects,
    commit: async (commit) => {
      const outcome = await state.objects.commit(commit);
      if (!failure.isNext || JSON.stringify(commit).includes('IPAddress')) return outcome;
      isAway = true;
      throw new StatusError('Timeout', 'the answer was lost');
    },
    read: async (key) => {
      if (isAway && key.resource === 'ipaddresses') throw new Error('the store is away');
      return state.objects.read(key);
    },
  };
  return { api: createTestApi({ state: { ...state, objects }, config: CONFIG }), state, failure };
};

describe('a change of unknown outcome', () => {
  it('answers with its own error, and leaves the claim of a Service that was stored', async () => {
    const { api, state, failure } = failingWorld();
    await api.send('GET', `${SERVICES}/kubernetes`);
    failure.isNext = true;
    expect((await post(api, 'a')).code).toBe(504);
    const later = createTestApi({ state, config: CONFIG });
    expect((await later.send('GET', `${SERVICES}/a`)).json.spec.clusterIP).toBe(IP);
    expect(await state.objects.read(rowOf())).toMatchObject({ state: 'live' });
    expect((await post(later, 'b')).code).toBe(422);
  });

  it('leaves the claim also if the store answers again at once', async () => {
    const state = createMemoryState();
    let isLost = false;
    const objects: typeof state.objects = {
      ...state.objects,
      commit: async (commit) => {
        const outcome = await state.objects.commit(commit);
        if (!isLost || JSON.stringify(commit).includes('IPAddress')) return outcome;
        throw new Error('the answer was lost');
      },
    };
    const api = createTestApi({ state: { ...state, objects }, config: CONFIG });
    await api.send('GET', `${SERVICES}/kubernetes`);
    isLost = true;
    await post(api, 'a');
    isLost = false;
    expect(await state.objects.read(rowOf())).toMatchObject({ state: 'live' });
    expect((await post(api, 'b')).code).toBe(422);
  });
});

describe('the claim of a create that was refused', () => {
  it('is given up if the namespace is missing, however long the claim took', async () => {
    const state = createMemoryState();
    const objects: typeof state.objects = {
      ...state.objects,
      commit: async (commit) => {
        // The namespace is looked for meanwhile.
        for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
        return state.objects.commit(commit);
      },
    };
    const api = createTestApi({ state: { ...state, objects }, config: CONFIG });
    const body = { metadata: { name: 'a' }, spec: { clusterIP: IP, ports: [{ port: 80 }] } };
    const { code } = await api.send('POST', '/api/v1/namespaces/nope/services', { as: 'admin', body });
    await new Promise((done) => setImmediate(done));
    expect(code).toBe(404);
    expect((await state.objects.read(rowOf()))?.state).not.toBe('live');
  });
});

describe('the claim for a generated name that was taken', () => {
  it('is given up when another name is tried', async () => {
    const zeros = [0, 0, 0, 0, 0];
    const drawn = [...zeros, 0.5, ...zeros, 0.25, 0.1, 0.1, 0.1, 0.1, 0.1, 0.75];
    let uuids = 0;
    const ids = {
      uuid: () => {
        uuids += 1;
        return `00000000-0000-4000-8000-${String(uuids).padStart(12, '0')}`;
      },
      random: () => drawn.shift() ?? 0.9,
    };
    const api = createTestApi({ config: CONFIG, ids });
    const body = { metadata: { generateName: 'a' }, spec: { ports: [{ port: 80 }] } };
    await api.send('POST', SERVICES, { as: 'admin', body });
    const { json } = await api.send('POST', SERVICES, { as: 'admin', body });
    expect(json.spec.clusterIP).toBe('10.107.255.255');
    expect((await api.objects.read(rowOf('10.100.0.0')))?.state).toBe('marker');
  });
});

describe('a Service without an address that is being deleted', () => {
  it('needs none to be deleted, also if the range is full', async () => {
    const api = createTestApi({ config: { serviceRanges: ['10.97.0.0/30'] } });
    const key = { resource: 'services', namespace: 'default', name: 'a' };
    const body = { metadata: { name: 'a', finalizers: ['example.com/f'] }, spec: { ports: [{ port: 80 }] } };
    await api.send('POST', SERVICES, { as: 'admin', body });
    await api.writer.write(key, (row) => {
      if (row?.state !== 'live') return undefined;
      const { clusterIP: _ip, clusterIPs: _ips, ...spec } = (row.object as Json).spec;
      return { next: { ...row.object, spec } as Json, writer: 'controller' };
    });
    for (const name of ['b', 'c']) await post(api, name, {});
    await api.send('DELETE', `${SERVICES}/a`);
    const done: Json = { metadata: { finalizers: null } };
    const sent = { as: 'admin', type: MERGE, body: done };
    expect((await api.send('PATCH', `${SERVICES}/a`, sent)).code).toBe(200);
    expect((await api.send('GET', `${SERVICES}/a`)).code).toBe(404);
  });
});

describe('a Service that was stored before addresses were claimed', () => {
  const stored = async (api: TestApi) => {
    await post(api, 'a');
    await api.writer.write(rowOf(), () => ({ next: 'delete', writer: 'controller' }));
  };

  it('claims its address when it is changed', async () => {
    const api = createTestApi({ config: CONFIG });
    await stored(api);
    const body: Json = { metadata: { labels: { a: 'b' } } };
    await api.send('PATCH', `${SERVICES}/a`, { as: 'admin', type: MERGE, body });
    expect(await api.objects.read(rowOf())).toMatchObject({
      object: { spec: { parentRef: { namespace: 'default', name: 'a' } } },
    });
    expect((await post(api, 'b')).code).toBe(422);
  });

  it('claims nothing with a dry run', async () => {
    const api = createTestApi({ config: CONFIG });
    await stored(api);
    const body: Json = { metadata: { labels: { a: 'b' } } };
    await api.send('PATCH', `${SERVICES}/a?dryRun=All`, { as: 'admin', type: MERGE, body });
    expect((await api.objects.read(rowOf()))?.state).not.toBe('live');
  });
});
