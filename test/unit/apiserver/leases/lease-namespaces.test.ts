import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE } from '../../../support/servers/api.ts';

const NS = '/api/v1/namespaces/ns1';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns1/leases';
const LEASE = { metadata: { name: 'l' }, spec: { holderIdentity: 'me' } };

/** An API to which something happens between its read of the namespace and the write of the Lease. */
const apiWith = (meanwhile: (api: TestApi, writes: number) => Promise<unknown>) => {
  const { heartbeats, ...state } = createMemoryState();
  let writes = 0;
  const writeLease: HeartbeatStore['writeLease'] = async (write) => {
    writes += 1;
    await meanwhile(api, writes);
    return heartbeats.writeLease(write);
  };
  const api: TestApi = createTestApi({ state: { ...state, heartbeats: { ...heartbeats, writeLease } } });
  return { api, writes: () => writes };
};

const asAdmin = { as: 'admin' };

const label = (api: TestApi, value: number) =>
  api.send('PATCH', NS, { ...asAdmin, body: { metadata: { labels: { a: String(value) } } }, type: MERGE });

const create = async (api: TestApi) => {
  await api.send('POST', '/api/v1/namespaces', { ...asAdmin, body: { metadata: { name: 'ns1' } } });
  return api.send('POST', LEASES, { ...asAdmin, body: LEASE });
};

describe('a Lease that is created while its namespace', () => {
  it('is deleted is refused, and is not there (C-22)', async () => {
    const { api, writes } = apiWith((own) => own.send('DELETE', NS, asAdmin));
    const { code, json } = await create(api);
    expect([code, json.details.causes[0].reason, writes()]).toEqual([403, 'NamespaceTerminating', 1]);
    expect((await api.send('GET', `${LEASES}/l`, asAdmin)).code).toBe(404);
  });

  it('changes is created with the second try (C-22)', async () => {
    const { api, writes } = apiWith(async (own, tries) => (tries === 1 ? label(own, 1) : undefined));
    expect([(await create(api)).code, writes()]).toEqual([201, 2]);
  });

  it('changes all the time is a conflict (C-22)', async () => {
    const { api } = apiWith(label);
    expect((await create(api)).code).toBe(409);
  });

  it.each(['POST', 'PUT'])('is there is created by %s', async (method) => {
    const { api } = apiWith(async () => undefined);
    await api.send('POST', '/api/v1/namespaces', { ...asAdmin, body: { metadata: { name: 'ns1' } } });
    const path = method === 'PUT' ? `${LEASES}/l` : LEASES;
    expect((await api.send(method, path, { ...asAdmin, body: LEASE })).code).toBe(201);
  });
});
