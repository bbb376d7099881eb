import { beforeEach, describe, expect, it } from 'vitest';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, NODES, nodeBody, START, statusOf } from '../../../support/servers/api.ts';

const N1 = `${NODES}/n1`;
const DRAIN = `${N1}/drain`;
const PODS = '/api/v1/namespaces/default/pods';
let api: TestApi;

beforeEach(async () => {
  api = createTestApi();
  await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
});

const drain = (spec?: object, path = DRAIN, as = 'admin') =>
  api.send('POST', path, { as, ...(spec === undefined ? {} : { body: { spec } }) });
const node = async () => (await api.send('GET', N1)).json;
const addPod = (name: string, more: object = {}) =>
  api.send('POST', PODS, {
    as: 'admin',
    body: {
      metadata: { name },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...more },
    },
  });

describe('POST to the drain of a node', () => {
  it('cordons the node, stores the request and returns at once', async () => {
    const { code, json } = await drain({
      gracePeriodSeconds: 5,
      timeoutSeconds: 600,
      deleteAfterSeconds: 300,
      ignoreDaemonSets: true,
      podSelector: 'app=web',
      reason: 'kernel',
    });
    expect([code, json]).toMatchObject([
      201,
      {
        kind: 'NodeDrain',
        apiVersion: 'rollcall.dev/v1',
        metadata: { name: 'n1' },
        status: {
          by: 'admin',
          reason: 'kernel',
          requestTime: '2026-03-01T12:00:00Z',
          deadlineTime: '2026-03-01T12:10:00Z',
        },
      },
    ]);
    const stored = await node();
    expect(stored.spec.unschedulable).toBe(true);
    expect(drainRequestOf(stored)).toEqual({
      id: json.status.id,
      by: 'admin',
      reason: 'kernel',
      requestedAt: START,
      deadlineAt: START + 600_000,
      deleteAt: START + 300_000,
      gracePeriodSeconds: 5,
      ignoreDaemonSets: true,
      podSelectors: ['app=web'],
    });
  });

  it('needs no body', async () => {
    expect((await drain()).code).toBe(201);
    expect(drainRequestOf(await node())).toMatchObject({ by: 'admin', reason: '' });
  });

  it('joins a drain that goes on already (E-11)', async () => {
    await drain({ timeoutSeconds: 60 });
    await drain({ disableEviction: true });
    const { deadlineAt, deleteAt } = drainRequestOf(await node()) ?? {};
    expect([deadlineAt, deleteAt]).toEqual([undefined, START]);
  });

  it('stores nothing in a dry run', async () => {
    expect((await drain({}, `${DRAIN}?dryRun=All`)).code).toBe(201);
    expect((await node()).spec.unschedulable).toBeUndefined();
  });

  it.each([
    [
      'gracePeriodSeconds',
      -1,
      'spec.gracePeriodSeconds: Invalid value: -1: must be whole seconds from 0 to 31536000',
    ],
    ['timeoutSeconds', 0, 'spec.timeoutSeconds: Invalid value: 0: must be whole seconds from 1 to 31536000'],
    [
      'deleteAfterSeconds',
      1.5,
      'spec.deleteAfterSeconds: Invalid value: 1.5: must be whole seconds from 0 to 31536000',
    ],
    ['force', 'yes', 'spec.force: Invalid value: "yes": must be true or false'],
    [
      'podSelector',
      'a b',
      `spec.podSelector: Invalid value: "a b": found 'b', expected: ',' or 'end of string'`,
    ],
    ['reason', 1, 'spec.reason: Invalid value: 1: must be a string'],
  ])('refuses %s: %s', async (name, value, text) => {
    expect(statusOf(await drain({ [name]: value }))).toEqual([
      422,
      'Invalid',
      expect.stringContaining(name === 'podSelector' ? 'spec.podSelector: Invalid value: "a b"' : text),
    ]);
    expect((await node()).spec.unschedulable).toBeUndefined();
  });

  it('refuses fields that it does not know, and other kinds', async () => {
    expect(statusOf(await drain({ forced: true }))).toEqual([
      400,
      'BadRequest',
      'NodeDrain in version "v1" cannot be handled: unknown field "spec.forced"',
    ]);
    const other = await api.send('POST', DRAIN, { as: 'admin', body: { kind: 'Eviction' } });
    expect(statusOf(other)[0]).toBe(400);
  });

  it('refuses the whole drain for pods that its options do not let go, by field and in the words of kubectl (E-14)', async () => {
    await addPod('bare');
    await addPod('scratch', { volumes: [{ name: 'v', emptyDir: {} }] });
    const refused = await drain();
    expect(statusOf(refused)).toEqual([
      422,
      'Invalid',
      expect.stringContaining(
        'spec.force: Forbidden: cannot delete Pods that declare no controller (use force to override): default/bare, default/scratch',
      ),
    ]);
    expect(refused.json.message).toContain(
      'spec.deleteEmptyDirData: Forbidden: cannot delete Pods with local storage (use deleteEmptyDirData to override): default/scratch',
    );
    expect((await node()).spec.unschedulable).toBeUndefined();
    expect((await drain({ force: true, deleteEmptyDirData: true })).code).toBe(201);
  });

  it.each([
    ['that state', {}, 201],
    ['another Node of its name', { uid: 'another' }, 409],
    ['another state of it', { resourceVersion: '1' }, 409],
    ['something that is no text', { uid: 1 }, 400],
  ])('is for the Node that its body means: %s', async (_, other, code) => {
    const { uid, resourceVersion } = (await node()).metadata;
    const body = { metadata: { uid, resourceVersion, ...other }, spec: {} };
    const trial = await api.send('POST', `${DRAIN}?dryRun=All`, { as: 'admin', body });
    expect([trial.code, (await api.send('POST', DRAIN, { as: 'admin', body })).code]).toEqual([code, code]);
    expect((await node()).spec.unschedulable).toBe(code === 201 ? true : undefined);
  });

  it('is for node operators, who may change Nodes, and neither read nor delete', async () => {
    expect((await drain({}, DRAIN, 'operator')).code).toBe(201);
    const as = 'operator';
    const type = 'application/merge-patch+json';
    const patched = await api.send('PATCH', N1, { as, type, body: { spec: { unschedulable: null } } });
    expect(patched.code).toBe(200);
    const refused = await Promise.all([
      api.send('GET', N1, { as }),
      api.send('DELETE', N1, { as }),
      api.send('PATCH', `${N1}/status`, { as, type, body: {} }),
      api.send('POST', NODES, { as, body: nodeBody('n2') }),
      api.send('GET', '/api/v1/secrets', { as }),
      api.send('POST', '/api/v1/namespaces/default/pods/p/eviction', { as, body: {} }),
    ]);
    expect(refused.map(({ code }) => code)).toEqual([403, 403, 403, 403, 403, 403]);
  });

  it('is for administrators, and for nodes that exist', async () => {
    expect((await drain({}, DRAIN, 'viewer')).code).toBe(403);
    expect((await drain({}, `${NODES}/n2/drain`)).code).toBe(404);
  });
});
