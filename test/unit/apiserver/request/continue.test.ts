// Lists that come in pages: what remains behind a page, and tokens that grow old.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { PageQuery } from '../../../../shared/ports/store/object-store.ts';
import type { Json, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, LEASES, START } from '../../../support/servers/api.ts';
import { aCommit } from '../../../support/stores/builders.ts';

const TEMPLATES = '/api/v1/namespaces/default/podtemplates';
const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

let api: TestApi;

beforeEach(async () => {
  api = createTestApi();
  for (const name of NAMES) await create(name);
});

const template = (name: string) => ({
  metadata: { name },
  template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
});
const create = (name: string, path = TEMPLATES) =>
  api.send('POST', path, { as: 'admin', body: template(name) });
const remove = (name: string) => api.send('DELETE', `${TEMPLATES}/${name}`);
const get = (query: string) => api.send('GET', `${TEMPLATES}?${query}`);
const page = async (query: string): Promise<Json> => (await get(query)).json;
const namesOf = ({ items }: Json): readonly string[] =>
  items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
const remainingOf = ({ metadata }: Json): number | undefined => metadata.remainingItemCount;

describe('the number of objects after a page', () => {
  it.each([
    ['limit=1', 5],
    ['limit=5', 1],
    ['limit=6', undefined],
    ['limit=7', undefined],
    ['', undefined],
    ['limit=1&labelSelector=!x', undefined],
    ['limit=1&fieldSelector=metadata.name!%3Dz', undefined],
    ['limit=1&labelSelector=', 5],
  ])('is counted without selectors: %s', async (query, remaining) => {
    expect(remainingOf(await page(query))).toBe(remaining);
  });

  it('is that of the namespace', async () => {
    await create('g', '/api/v1/namespaces/kube-system/podtemplates');
    expect(remainingOf(await page('limit=2'))).toBe(4);
    expect(remainingOf((await api.send('GET', '/api/v1/podtemplates?limit=2')).json)).toBe(5);
  });

  it('is that of the revision that all pages show, despite concurrent changes', async () => {
    const first = await page('limit=2');
    await create('ab');
    await create('g');
    await create('h');
    await remove('d');
    await remove('f');
    const second = await page(`limit=1&continue=${first.metadata.continue}`);
    expect([namesOf(second), remainingOf(second)]).toEqual([['c'], 3]);
    const third = await page(`limit=2&continue=${second.metadata.continue}`);
    expect([namesOf(third), remainingOf(third)]).toEqual([['d', 'e'], 1]);
    const last = await page(`limit=2&continue=${third.metadata.continue}`);
    expect([namesOf(last), remainingOf(last)]).toEqual([['f'], undefined]);
  });

  it('is counted once, by the read that may fill the page', async () => {
    const state = createMemoryState();
    const counts: unknown[] = [];
    const counting = async (query: PageQuery) => {
      counts.push(query.counts);
      return state.objects.page(query);
    };
    api = createTestApi({ state: { ...state, objects: { ...state.objects, page: counting } } });
    for (const name of NAMES) await create(name);
    for (const query of ['limit=2', '', 'limit=2&labelSelector=!x', 'limit=5000']) await page(query);
    expect(counts).toEqual([true, undefined, undefined, undefined]);
  });

  it.each([
    ['limit=1', undefined],
    ['limit=2', 10_000],
  ])('is left out above ten thousand: %s', async (query, remaining) => {
    const state = createMemoryState();
    const { highest: last } = await state.objects.takeRevisions('podtemplates', 10_002, START);
    for (let n = 0; n < 10_002; n += 1)
      await state.objects.commit(
        aCommit({
          key: { resource: 'podtemplates', namespace: 'default', name: `t${String(n).padStart(5, '0')}` },
          revision: last - n,
        }),
      );
    api = createTestApi({ state });
    expect(remainingOf(await page(query))).toBe(remaining);
  });
});

describe('a continue token', () => {
  const begin = async (): Promise<string> => (await page('limit=2')).metadata.continue;

  it('is valid for five minutes from the first page on', async () => {
    const first = await begin();
    api.advance(3 * MINUTE_MS);
    const second = (await page(`limit=2&continue=${first}`)).metadata.continue;
    api.advance(2 * MINUTE_MS);
    expect((await get(`limit=2&continue=${second}`)).code).toBe(200);
    api.advance(1);
    expect((await get(`limit=2&continue=${second}`)).code).toBe(410);
  });

  it('is then refused in Kubernetes’ words, with a token that continues at a new revision', async () => {
    const { metadata } = await page('limit=2');
    await remove('c');
    await create('dd');
    api.advance(6 * MINUTE_MS);
    const { code, json: status } = await get(`limit=2&continue=${metadata.continue}`);
    expect(code).toBe(410);
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: { continue: expect.any(String) },
      status: 'Failure',
      message:
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
      reason: 'Expired',
      code: 410,
    });
    const rest = await page(`limit=2&continue=${status.metadata.continue}`);
    expect([namesOf(rest), remainingOf(rest)]).toEqual([['d', 'dd'], 2]);
    await create('ee');
    const last = await page(`continue=${rest.metadata.continue}`);
    expect(namesOf(last)).toEqual(['e', 'f']);
    expect(last.metadata.resourceVersion).toBe(rest.metadata.resourceVersion);
  });

  it('of that kind continues at its own revision, even if nothing changed', async () => {
    const { metadata } = await page('limit=2');
    api.advance(6 * MINUTE_MS);
    const status = (await get(`limit=2&continue=${metadata.continue}`)).json;
    const rest = await page(`limit=2&continue=${status.metadata.continue}`);
    expect(Number(rest.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    expect(namesOf(rest)).toEqual(['c', 'd']);
  });

  it('of that kind does not expire', async () => {
    const first = await begin();
    api.advance(6 * MINUTE_MS);
    const status = (await get(`limit=2&continue=${first}`)).json;
    api.advance(60 * MINUTE_MS);
    expect(namesOf(await page(`limit=2&continue=${status.metadata.continue}`))).toEqual(['c', 'd']);
  });

  it('of a clock that was ahead counts as made now', async () => {
    const first = await begin();
    api.advance(-20 * MINUTE_MS);
    const second = await page(`limit=2&continue=${first}`);
    expect(namesOf(second)).toEqual(['c', 'd']);
    api.advance(6 * MINUTE_MS);
    expect((await get(`limit=2&continue=${second.metadata.continue}`)).code).toBe(410);
  });

  it.each([
    ['forward', YEAR_MS],
    ['beyond the history that is kept', 2 * 60 * MINUTE_MS],
  ])('is valid after a step of the clock %s', async (_name, step) => {
    const first = await begin();
    api.advance(step);
    const status = (await get(`limit=2&continue=${first}`)).json;
    expect(namesOf(await page(`continue=${status.metadata.continue}`))).toEqual(['c', 'd', 'e', 'f']);
  });

  it.each([
    ['of an older version of this server', { rv: 1 }],
    ['of a version that was never there', { rv: Number.MAX_SAFE_INTEGER, at: Number.MAX_SAFE_INTEGER }],
  ])('%s is too old', async (_name, part) => {
    const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', start: 'default/b', ...part })).toString(
      'base64url',
    );
    const { code, json } = await get(`limit=1&continue=${token}`);
    expect(code).toBe(410);
    expect(namesOf(await page(`limit=1&continue=${json.metadata.continue}`))).toEqual(['c']);
  });

  it('is not in the error for an exact version that is too old', async () => {
    const { json } = await get('resourceVersion=1&resourceVersionMatch=Exact');
    expect(json).toMatchObject({
      reason: 'Expired',
      metadata: {},
      message: 'The resourceVersion for the provided list is too old.',
    });
    expect(json.metadata).toEqual({});
  });

  it('is valid for the deletion of a collection', async () => {
    const first = await begin();
    api.advance(6 * MINUTE_MS);
    const { code, json } = await api.send('DELETE', `${TEMPLATES}?continue=${first}`);
    expect(code).toBe(410);
    await api.send('DELETE', `${TEMPLATES}?continue=${json.metadata.continue}`);
    expect(namesOf(await page(''))).toEqual(['a', 'b']);
  });

  it('of Leases does not expire, because each page is a new read', async () => {
    for (const name of ['l1', 'l2'])
      await api.send('POST', LEASES, { body: { metadata: { name } }, as: 'admin' });
    const { metadata } = (await api.send('GET', `${LEASES}?limit=1`)).json;
    api.advance(6 * MINUTE_MS);
    expect(namesOf((await api.send('GET', `${LEASES}?continue=${metadata.continue}`)).json)).toEqual(['l2']);
  });
});
