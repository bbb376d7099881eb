import { beforeEach, describe, expect, it } from 'vitest';
import type { Sent, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, LEASES, MERGE, statusOf } from '../../../support/servers/api.ts';

const PATH = `${LEASES}/l1`;
let api: TestApi;
const send = (method: string, path: string, rest: Sent = {}) =>
  api.send(method, path, { as: 'admin', ...rest });

beforeEach(async () => {
  api = createTestApi();
  await send('POST', LEASES, { body: { metadata: { name: 'l1' }, spec: { holderIdentity: 'a' } } });
});

const body = (name: string, resourceVersion?: string) => ({
  metadata: { name, ...(resourceVersion ? { resourceVersion } : {}) },
  spec: {},
});

describe('a dry run of a change of a Lease', () => {
  it.each([
    ['makes a Lease', 'l2', undefined, 201],
    ['needs a version', 'l1', undefined, 422],
    ['conflicts', 'l1', '1', 409],
  ])('%s', async (_name, name, version, code) => {
    const tried = await send('PUT', `${LEASES}/${name}?dryRun=All`, { body: body(name, version) });
    expect(tried.code).toBe(code);
    expect((await send('GET', LEASES)).json.items).toHaveLength(1);
  });

  it('answers with the stored uid and creation time', async () => {
    const { metadata } = (await send('GET', PATH)).json;
    const tried = await send('PUT', `${PATH}?dryRun=All`, { body: body('l1', metadata.resourceVersion) });
    expect(tried).toMatchObject({ code: 200, json: { metadata: { uid: metadata.uid }, spec: {} } });
    expect((await send('GET', PATH)).json.spec).toEqual({ holderIdentity: 'a' });
  });

  it('validates a patch', async () => {
    const patch = { body: { spec: { leaseDurationSeconds: 0 } }, type: MERGE };
    expect(statusOf(await send('PATCH', `${PATH}?dryRun=All`, patch))).toEqual([
      422,
      'Invalid',
      'Lease.coordination.k8s.io "l1" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ]);
  });
});

describe('a Lease', () => {
  it('has no fields of coordinated leader election', async () => {
    const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'b' };
    const patched = await send('PATCH', PATH, { body: { spec }, type: MERGE });
    expect(patched.json.spec).toEqual({ holderIdentity: 'a' });
  });

  it('keeps its generateName', async () => {
    const made = await send('POST', LEASES, { body: { metadata: { generateName: 'g-' } } });
    expect(made.json.metadata).toMatchObject({ generateName: 'g-', name: expect.stringMatching(/^g-/) });
  });

  it('is not read at a version that is not a number', async () => {
    expect((await send('GET', `${PATH}?resourceVersion=x`)).code).toBe(400);
  });
});

describe('the expiry of a Lease', () => {
  const ELECTIONS = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const expiryOf = async (namespace: string) =>
    (await api.heartbeats.read({ namespace, name: 'l1' }))?.expiresAt;

  it('follows from its renewals in kube-node-lease', async () => {
    expect(await expiryOf('kube-node-lease')).toBe(api.clock.now() + api.config.heartbeatRetentionMs);
  });

  it('is absent in other namespaces, however it is written', async () => {
    await send('POST', ELECTIONS, { body: body('l1') });
    expect(await expiryOf('kube-system')).toBeUndefined();
    const { json } = await send('GET', `${ELECTIONS}/l1`);
    await send('PUT', `${ELECTIONS}/l1`, { body: { ...json, spec: { holderIdentity: 'b' } } });
    await send('PATCH', `${ELECTIONS}/l1`, { body: { spec: { holderIdentity: 'c' } }, type: MERGE });
    expect(await expiryOf('kube-system')).toBeUndefined();
    await send('DELETE', `${ELECTIONS}/l1`);
    expect(await expiryOf('kube-system')).toBeGreaterThan(api.clock.now());
  });
});
