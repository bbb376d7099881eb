// How much a list reads: rows, pages and keys are counted.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { ListOptions } from '../../../../shared/apiserver/request/list-options.ts';
import { listPage } from '../../../../shared/apiserver/verbs/page.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { Lister, ListPosition } from '../../../../shared/store/lists/lists.ts';
import type { Json, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, NODES, PODS, podBody } from '../../../support/servers/api.ts';

const counts = { pages: 0, rows: 0, reads: 0 };

const countedState = () => {
  const state = createMemoryState();
  const objects: ObjectStore = {
    ...state.objects,
    page: async (query) => {
      const page = await state.objects.page(query);
      counts.pages += 1;
      counts.rows += page.rows.length;
      return page;
    },
    read: (key) => {
      counts.reads += 1;
      return state.objects.read(key);
    },
  };
  return { ...state, objects };
};

let api: TestApi;

beforeEach(() => {
  api = createTestApi({ state: countedState() });
});

const forget = (): void => {
  Object.assign(counts, { pages: 0, rows: 0, reads: 0 });
};

const namesOf = ({ items }: Json): readonly string[] =>
  items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

const get = async (path: string): Promise<Json> => (await api.send('GET', path)).json;

const createNodes = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) await api.send('POST', NODES, { as: 'admin', body: { metadata: { name } } });
};

describe('a list', () => {
  it('with a limit does not read markers before its first object', async () => {
    const gone = Array.from({ length: 100 }, (_, n) => `a${n}`);
    await createNodes(...gone, 'b', 'c');
    for (const name of gone) await api.send('DELETE', `${NODES}/${name}`);
    forget();
    const page = await get(`${NODES}?limit=1`);
    expect(namesOf(page)).toEqual(['b']);
    expect(page.metadata.continue).toBeDefined();
    expect(counts).toMatchObject({ pages: 1, rows: 1 });
  });

  it.each([
    ['a node', `${NODES}?fieldSelector=metadata.name%3Dn2`, ['n2']],
    ['a pod', `${PODS}?fieldSelector=metadata.name%3Dp1`, ['p1']],
    [
      'a pod of a namespace that the selector names',
      '/api/v1/pods?fieldSelector=metadata.namespace%3Ddefault,metadata.name%3Dp1',
      ['p1'],
    ],
    ['an object that is not there', `${NODES}?fieldSelector=metadata.name%3Dn9&limit=3`, []],
  ])('of one name reads one object: %s', async (_name, path, names) => {
    await createNodes('n1', 'n2', 'n3');
    await api.send('POST', PODS, { as: 'admin', body: podBody('p1') });
    await api.send('POST', PODS, { as: 'admin', body: podBody('p2') });
    forget();
    expect(namesOf(await get(path))).toEqual(names);
    expect(counts).toMatchObject({ pages: 0, reads: 1 });
  });

  it('of one name in all namespaces has all objects of that name', async () => {
    for (const namespace of ['default', 'kube-system'])
      await api.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        as: 'admin',
        body: { metadata: { name: 'same' } },
      });
    const list = await get('/api/v1/configmaps?fieldSelector=metadata.name%3Dsame');
    expect(namesOf(list)).toEqual(['same', 'same']);
  });

  it('of the pods of a node has each pod once in its pages, even while pods change', async () => {
    const pod = (name: string, nodeName: string) => podBody(name, { nodeName });
    for (const name of ['p1', 'p2', 'p3', 'p4'])
      await api.send('POST', PODS, { as: 'admin', body: pod(name, 'n1') });
    const path = `${PODS}?fieldSelector=spec.nodeName%3Dn1&limit=2`;
    const first = await get(path);
    expect(namesOf(first)).toEqual(['p1', 'p2']);
    await api.send('POST', PODS, { as: 'admin', body: pod('p5', 'n1') });
    await api.send('POST', PODS, { as: 'admin', body: pod('p6', 'n2') });
    const second = await get(`${path}&continue=${first.metadata.continue}`);
    expect(namesOf(second)).toEqual(['p3', 'p4']);
    expect(second.metadata.continue).toBeUndefined();
  });
});

const nameAt = (n: number): string => `n${String(n).padStart(6, '0')}`;
const objectAt = (n: number): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: nameAt(n), namespace: '' },
});

/** A lister of `size` objects, or of as many reads that find nothing. */
const listerOf = (size: number, isEmpty = false) => {
  const read = { calls: 0, rows: 0 };
  const lister: Lister = {
    list: async ({ limit = size, continueAt }) => {
      const start = continueAt ? Number(continueAt.after.slice(2)) + 1 : 0;
      const count = isEmpty ? 1 : Math.min(limit, size - start);
      read.calls += 1;
      read.rows += count;
      const objects = isEmpty ? [] : Array.from({ length: count }, (_, n) => objectAt(start + n));
      const last = start + count - 1;
      return {
        revision: 7,
        objects,
        ...(last < size - 1 ? { next: { revision: 7, after: `/${nameAt(last)}` } } : {}),
      };
    },
  };
  return { lister, read };
};

const REQUEST = { resource: 'configmaps', namespace: '' };
const options = (limit: number | undefined, continueAt?: ListPosition): ListOptions => ({
  fieldRequirements: [],
  matches: ({ metadata }) => metadata.name === nameAt(60_000),
  limit,
  continueAt,
  notOlderThan: undefined,
  selectsAll: false,
});

describe('a page whose selector matches very few objects', () => {
  it('with a limit ends after bounded work, and the next pages find the rest', async () => {
    const { lister, read } = listerOf(100_000);
    const found: ApiObject[] = [];
    let pages = 0;
    let at: ListPosition | undefined;
    do {
      Object.assign(read, { calls: 0, rows: 0 });
      const page = await listPage({ lister }, REQUEST, options(1, at));
      expect(read.rows).toBeLessThanOrEqual(22_000);
      expect(read.calls).toBeLessThanOrEqual(32);
      found.push(...page.objects);
      at = page.next;
      pages += 1;
    } while (at);
    expect(found.map(({ metadata }) => metadata.name)).toEqual([nameAt(60_000)]);
    expect(pages).toBeLessThanOrEqual(7);
  });

  it('without a limit is complete', async () => {
    const { lister, read } = listerOf(100_000);
    const page = await listPage({ lister }, REQUEST, options(undefined));
    expect(page.objects).toHaveLength(1);
    expect(page.next).toBeUndefined();
    expect(read.rows).toBe(100_000);
  });

  it('with a limit ends after several empty reads', async () => {
    const { lister, read } = listerOf(1_000, true);
    const page = await listPage({ lister }, REQUEST, options(1));
    expect(page).toMatchObject({ objects: [], next: { revision: 7 } });
    expect(read.calls).toBeLessThanOrEqual(32);
  });
});
