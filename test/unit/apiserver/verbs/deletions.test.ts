import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { applyDiff } from '../../../../shared/store/commit/object-diff.ts';
import type { TestApi } from '../../../support/servers/api.ts';
import {
  createTestApi,
  LEASES,
  MERGE,
  NODES,
  nodeBody,
  PODS,
  podBody,
  statusOf,
} from '../../../support/servers/api.ts';
import { entriesOf } from '../../../support/stores/log-entries.ts';

const del = (api: TestApi, path: string, body?: object) =>
  api.send('DELETE', path, { as: 'admin', ...(body ? { body } : {}) });

const nameOf = ({ metadata }: { readonly metadata: { readonly name: string } }): string => metadata.name;

const withNodes = async (api: TestApi, ...names: readonly string[]): Promise<TestApi> => {
  for (const name of names)
    await api.send('POST', NODES, {
      as: 'admin',
      body: { metadata: { name, labels: { tier: name.slice(0, 1) } } },
    });
  return api;
};

const nodesOf = async (api: TestApi): Promise<readonly string[]> =>
  (await api.send('GET', NODES)).json.items.map(nameOf);

describe('a deletion keeps the object for the garbage collector', () => {
  it.each([
    ['foreground', { propagationPolicy: 'Foreground' }, ['foregroundDeletion'], 200],
    ['orphan', { propagationPolicy: 'Orphan' }, ['orphan'], 200],
    ['the old word for it', { orphanDependents: true }, ['orphan'], 200],
  ])('%s', async (_name, body, finalizers, code) => {
    const api = await withNodes(createTestApi({ controllers: 'none' }), 'a1');
    const answer = await del(api, `${NODES}/a1`, body);
    expect([answer.code, answer.json.metadata.finalizers]).toEqual([code, finalizers]);
    expect(answer.json.metadata.deletionGracePeriodSeconds).toBe(0);
  });

  it.each([{ propagationPolicy: 'Background' }, { orphanDependents: false }, {}])(
    'but not for %j',
    async (body) => {
      const api = await withNodes(createTestApi({ controllers: 'none' }), 'a1');
      expect((await del(api, `${NODES}/a1`, body)).json.kind).toBe('Status');
    },
  );

  it('until a later deletion with another policy', async () => {
    const api = await withNodes(createTestApi({ controllers: 'none' }), 'a1');
    await del(api, `${NODES}/a1`, { propagationPolicy: 'Foreground' });
    expect((await del(api, `${NODES}/a1`)).json.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect((await del(api, `${NODES}/a1`, { propagationPolicy: 'Background' })).json.kind).toBe('Status');
  });

  it('answers 202 if a finalizer keeps an object whose dependents are to be deleted, too', async () => {
    const api = createTestApi({ controllers: 'none' });
    await api.send('POST', NODES, {
      as: 'admin',
      body: { metadata: { name: 'n', finalizers: ['a.b/c', 'orphan'] } },
    });
    const answer = await del(api, `${NODES}/n`, { orphanDependents: false });
    expect([answer.code, answer.json.metadata.finalizers]).toEqual([202, ['a.b/c']]);
  });

  it('except Events, which have no dependents', async () => {
    const api = createTestApi({ controllers: 'none' });
    const path = '/api/v1/namespaces/default/events';
    await api.send('POST', path, {
      as: 'admin',
      body: { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } },
    });
    expect((await del(api, `${path}/e`, { propagationPolicy: 'Foreground' })).json.kind).toBe('Status');
  });
});

describe('the default policy of a deletion', () => {
  const JOBS = '/apis/batch/v1/namespaces/default/jobs';
  const RCS = '/api/v1/namespaces/default/replicationcontrollers';
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
  };
  const create = async (path: string, spec: object) => {
    const api = createTestApi();
    const { code } = await api.send('POST', path, { as: 'admin', body: { metadata: { name: 'x' }, spec } });
    expect(code).toBe(201);
    return api;
  };
  const warning =
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';

  it('of a Job leaves its pods, with a warning', async () => {
    const api = await create(JOBS, { template });
    const answer = await del(api, `${JOBS}/x`);
    expect(answer.json.metadata.finalizers).toEqual(['orphan']);
    expect(answer.headers['warning']).toBe(warning);
  });

  it.each([
    ['Background', 'Status', undefined],
    ['Orphan', 'Job', ['orphan']],
  ])('of a Job does not matter if the client asks for %s', async (propagationPolicy, kind, finalizers) => {
    const api = await create(JOBS, { template });
    const answer = await del(api, `${JOBS}/x`, { propagationPolicy });
    expect([answer.json.kind, answer.json.metadata.finalizers]).toEqual([kind, finalizers]);
    expect(answer.headers['warning']).toBeUndefined();
  });

  it('of a ReplicationController leaves its pods', async () => {
    const api = await create(RCS, {
      selector: { app: 'a' },
      template: { ...template, spec: { containers: template.spec.containers } },
    });
    expect((await del(api, `${RCS}/x`)).json.metadata.finalizers).toEqual(['orphan']);
  });
});

describe('options', () => {
  it.each([
    ['?propagationPolicy=Odd', undefined, 422],
    ['?propagationPolicy=Orphan&orphanDependents=true', undefined, 422],
    ['?gracePeriodSeconds=x', undefined, 400],
    ['?gracePeriodSeconds=x&dryRun=Odd', {}, 200],
  ])('in the query (%s) are used if the body is %j', async (query, body, code) => {
    const api = await withNodes(createTestApi(), 'a1');
    expect((await del(api, `${NODES}/a1${query}`, body)).code).toBe(code);
  });
});

describe('the deletion of a collection', () => {
  it('deletes the selected objects, and answers with their earlier state', async () => {
    const api = await withNodes(createTestApi(), 'a1', 'a2', 'b1');
    const { code, json } = await del(api, `${NODES}?labelSelector=tier%3Da`);
    expect([code, json.kind, json.items.map(nameOf)]).toEqual([200, 'NodeList', ['a1', 'a2']]);
    expect(json.items[0].metadata.deletionTimestamp).toBeUndefined();
    expect(await nodesOf(api)).toEqual(['b1']);
  });

  it.each([
    ['?fieldSelector=metadata.name%3Da2', undefined, ['a1', 'b1']],
    ['?limit=1', undefined, ['a2', 'b1']],
    ['?dryRun=All', undefined, ['a1', 'a2', 'b1']],
    ['', { dryRun: ['All'] }, ['a1', 'a2', 'b1']],
    ['', undefined, []],
  ])('with %s %j', async (query, body, left) => {
    const api = await withNodes(createTestApi(), 'a1', 'a2', 'b1');
    expect((await del(api, `${NODES}${query}`, body)).code).toBe(200);
    expect(await nodesOf(api)).toEqual(left);
  });

  it('stops at an object that does not meet the preconditions', async () => {
    const api = await withNodes(createTestApi(), 'a1');
    expect(statusOf(await del(api, NODES, { preconditions: { uid: 'other' } }))).toEqual([
      409,
      'Conflict',
      expect.stringContaining('the UID in the precondition (other) does not match'),
    ]);
  });

  it('gives pods their grace period', async () => {
    const api = await withNodes(createTestApi(), 'a1');
    await api.send('POST', PODS, { as: 'admin', body: podBody('bound', { nodeName: 'a1' }) });
    await api.send('POST', PODS, { as: 'admin', body: podBody('free') });
    await del(api, PODS);
    const { items } = (await api.send('GET', PODS)).json;
    expect(items.map(nameOf)).toEqual(['bound']);
    expect(items[0].metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('also deletes Leases', async () => {
    const api = createTestApi();
    for (const name of ['l1', 'l2']) await api.send('POST', LEASES, { as: 'admin', body: nodeBody(name) });
    expect((await del(api, LEASES)).json.items.map(nameOf)).toEqual(['l1', 'l2']);
    expect((await api.send('GET', LEASES)).json.items).toEqual([]);
  });

  it.each(['/api/v1/pods', '/api/v1/namespaces'])('is not allowed to %s', async (path) => {
    expect((await del(createTestApi(), path)).code).toBe(405);
  });
});

describe('watchers see the last state of a pod before it is deleted', () => {
  const changesOf = async (api: TestApi) =>
    (await entriesOf(api.objects, 'pods')).map(({ type, object }) => [
      type,
      object.metadata.deletionGracePeriodSeconds,
    ]);
  const ADDED = ['ADDED', undefined];
  const BEGUN = ['MODIFIED', 30];
  const ENDED = ['MODIFIED', 0];
  const GONE = ['DELETED', 0];
  const NOW = { gracePeriodSeconds: 0 };
  const P = `${PODS}/p`;
  const evict = (api: TestApi) =>
    api.send('POST', `${P}/eviction`, { as: 'admin', body: { metadata: { name: 'p' } } });

  it.each([
    ['that its node has stopped', { nodeName: 'n' }, [undefined, NOW], [BEGUN, ENDED, GONE]],
    ['that is removed by force', { nodeName: 'n' }, [NOW], [ENDED, GONE]],
    ['that no node has to stop', {}, [undefined], [ENDED, GONE]],
    ['whose own grace is none', { nodeName: 'n', terminationGracePeriodSeconds: 0 }, [{}], [ENDED, GONE]],
  ])('%s', async (_name, spec, deletions, changes) => {
    const api = createTestApi();
    await api.send('POST', PODS, { as: 'admin', body: podBody('p', spec) });
    for (const options of deletions) expect((await del(api, P, options)).code).toBe(200);
    expect(await changesOf(api)).toEqual([ADDED, ...changes]);
  });

  it('that is evicted', async () => {
    const api = createTestApi();
    await api.send('POST', PODS, { as: 'admin', body: podBody('p') });
    expect((await evict(api)).code).toBe(201);
    expect(await changesOf(api)).toEqual([ADDED, ENDED, GONE]);
  });

  it('once, if a finalizer held it', async () => {
    const api = createTestApi();
    const body = podBody('p');
    await api.send('POST', PODS, {
      as: 'admin',
      body: { ...body, metadata: { name: 'p', finalizers: ['a.b/c'] } },
    });
    await del(api, P, NOW);
    await api.send('PATCH', P, {
      as: 'admin',
      type: MERGE,
      body: { metadata: { finalizers: null } },
    });
    expect(await changesOf(api)).toEqual([ADDED, ENDED, GONE]);
  });

  it('and the answer has that state', async () => {
    const api = createTestApi();
    await api.send('POST', PODS, { as: 'admin', body: podBody('p', { nodeName: 'n' }) });
    const { json } = await del(api, P, NOW);
    expect(json).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0, generation: 2 } });
    const counter = await api.objects.counter('pods');
    expect(json.metadata.resourceVersion).toBe(String(counter?.counter));
  });

  it.each([
    ['a Secret', '/api/v1/namespaces/default/secrets', { metadata: { name: 'p' } }],
    ['a Node', NODES, nodeBody('p')],
  ])('but %s is only DELETED', async (_name, path, body) => {
    const api = createTestApi();
    await api.send('POST', path, { as: 'admin', body });
    expect((await del(api, `${path}/p`, NOW)).code).toBe(200);
    const slots = await entriesOf(api.objects, path.split('/').at(-1) ?? '');
    expect(slots.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  it('with consecutive revisions', async () => {
    const api = createTestApi();
    await api.send('POST', PODS, { as: 'admin', body: podBody('p', { nodeName: 'n' }) });
    await del(api, P, NOW);
    const [added, last, gone] = await entriesOf(api.objects, 'pods');
    expect(gone?.revision).toBe((last?.revision ?? 0) + 1);
    expect(applyDiff(last?.object as ApiObject, last?.before ?? {})).toEqual(added?.object);
    expect(applyDiff(gone?.object as ApiObject, gone?.before ?? {})).toEqual(last?.object);
  });

  it("and see the removal of a garbage collector's finalizer first, if the policy removes it", async () => {
    const api = createTestApi({ controllers: 'none' });
    const path = '/api/v1/namespaces/default/secrets';
    const body = { metadata: { name: 'p', finalizers: ['orphan'] } };
    await api.send('POST', path, { as: 'admin', body });
    await del(api, `${path}/p`, { propagationPolicy: 'Background' });
    const entries = await entriesOf(api.objects, 'secrets');
    expect(entries.map(({ type, object }) => [type, object.metadata.finalizers])).toEqual([
      ['ADDED', ['orphan']],
      ['MODIFIED', undefined],
      ['DELETED', undefined],
    ]);
  });

  it('but not in an update that removes the last finalizer', async () => {
    const api = createTestApi();
    const path = '/api/v1/namespaces/default/secrets';
    const body = { metadata: { name: 'p', finalizers: ['a.b/c'] } };
    await api.send('POST', path, { as: 'admin', body });
    await del(api, `${path}/p`);
    await api.send('PATCH', `${path}/p`, {
      as: 'admin',
      type: MERGE,
      body: { metadata: { finalizers: null } },
    });
    const entries = await entriesOf(api.objects, 'secrets');
    expect(entries.map(({ type, object }) => [type, object.metadata.finalizers])).toEqual([
      ['ADDED', ['a.b/c']],
      ['MODIFIED', ['a.b/c']],
      ['DELETED', ['a.b/c']],
    ]);
  });

  it('once, if the grace period is shortened', async () => {
    const api = createTestApi();
    await api.send('POST', PODS, { as: 'admin', body: podBody('p', { nodeName: 'n' }) });
    await del(api, P, { gracePeriodSeconds: 20 });
    await del(api, P, { gracePeriodSeconds: 40 });
    await del(api, P, { gracePeriodSeconds: 10 });
    await del(api, P, NOW);
    expect(await changesOf(api)).toEqual([ADDED, ['MODIFIED', 20], ['MODIFIED', 10], ENDED, GONE]);
  });
});
