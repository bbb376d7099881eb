// Owner edges: what a commit does to them, and what a reader of one owner sees.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { Dependent, DependentsQuery, OwnerEdgeStore } from '../../../shared/ports/store/owner-edges.ts';
import type { ObjectKey } from '../../../shared/ports/store/rows.ts';
import type { OwnerEdge } from '../../../shared/rules/owners/owner-edges.ts';
import { aCommit, change, podKey, T0 } from '../../support/stores/builders.ts';

export interface OwnerEdgeStores {
  readonly objects: ObjectStore;
  readonly ownerEdges: OwnerEdgeStore;
}

const OWNER = 'owner-uid';

const anEdge = (edge: Partial<OwnerEdge> = {}): OwnerEdge => ({
  owner: OWNER,
  controller: false,
  blockOwnerDeletion: false,
  ...edge,
});

const put = (...puts: readonly OwnerEdge[]) => ({ puts, removes: [] });
const remove = (...removes: readonly string[]) => ({ puts: [], removes });

const secretKey = (name: string, namespace = 'default'): ObjectKey => ({
  resource: 'secrets',
  namespace,
  name,
});

const commitsContract = (stores: () => OwnerEdgeStores): void => {
  const all = async (owner = OWNER): Promise<readonly Dependent[]> =>
    (await stores().ownerEdges.dependents({ owner, limit: 100 })).dependents;

  describe('a commit', () => {
    it('puts an edge per owner, with its flags (K-21)', async () => {
      const uid = randomUUID();
      const edges = put(anEdge({ controller: true }), anEdge({ owner: 'other', blockOwnerDeletion: true }));
      expect((await change(stores().objects, { key: podKey('p1'), uid, edges })).outcome).toEqual({
        outcome: 'committed',
      });
      const dependent = { key: podKey('p1'), uid };
      expect(await all()).toEqual([{ ...dependent, controller: true, blockOwnerDeletion: false }]);
      expect(await all('other')).toEqual([{ ...dependent, controller: false, blockOwnerDeletion: true }]);
      expect(await all('nobody')).toEqual([]);
    });

    it('replaces the flags of an edge, and removes one (K-23)', async () => {
      const uid = randomUUID();
      const key = podKey('p1');
      const { revision } = await change(stores().objects, { key, uid, edges: put(anEdge()) });
      const flags = { controller: true, blockOwnerDeletion: true };
      const edges = put(anEdge(flags));
      const second = await change(stores().objects, { key, uid, expected: revision, edges });
      expect(await all()).toEqual([{ key, uid, ...flags }]);
      await change(stores().objects, { key, uid, expected: second.revision, edges: remove(OWNER) });
      expect(await all()).toEqual([]);
    });

    it('stores, replaces and removes the summary of an edge (K-29)', async () => {
      const uid = randomUUID();
      const key = podKey('p1');
      const flags = { controller: true, blockOwnerDeletion: false };
      let expected: number | undefined;
      for (const summary of ['[1,"a"]', '[1,"ä"]', undefined]) {
        const edges = put(anEdge({ ...flags, ...(summary === undefined ? {} : { summary }) }));
        const at = expected === undefined ? {} : { expected };
        ({ revision: expected } = await change(stores().objects, { key, uid, ...at, edges }));
        expect(await all()).toEqual([{ key, uid, ...flags, ...(summary === undefined ? {} : { summary }) }]);
      }
    });

    it('removes the edges of an object that goes, and leaves those of its successor (K-24)', async () => {
      const [uid, next] = [randomUUID(), randomUUID()];
      const key = podKey('p1');
      const { revision } = await change(stores().objects, { key, uid, edges: put(anEdge()) });
      const gone = { key, uid, expected: revision, type: 'DELETED', edges: remove(OWNER) } as const;
      await change(stores().objects, gone);
      expect(await all()).toEqual([]);
      await change(stores().objects, { key, uid: next, edges: put(anEdge()) });
      expect((await all()).map((one) => one.uid)).toEqual([next]);
    });

    it('changes nothing when the object conflicts, and nothing more when it is sent again', async () => {
      const key = podKey('p1');
      const { commit } = await change(stores().objects, { key, edges: put(anEdge()) });
      const stale = await change(stores().objects, { key, edges: put(anEdge({ owner: 'other' })) });
      expect(stale.outcome).toEqual({ outcome: 'objectConflict' });
      expect(await all('other')).toEqual([]);
      expect(await stores().objects.commit(commit)).toEqual({ outcome: 'committed' });
      expect(await all()).toHaveLength(1);
    });

    it('changes nothing when its slot is taken', async () => {
      const { highest: revision } = await stores().objects.takeRevisions('pods', 1, T0);
      const tombstone = { slot: 'tombstone', revision, attempt: randomUUID(), at: T0 } as const;
      await stores().objects.putTombstone('pods', tombstone);
      const commit = aCommit({ key: podKey('p1'), revision, edges: put(anEdge()) });
      expect((await stores().objects.commit(commit)).outcome).toBe('slotTaken');
      expect(await all()).toEqual([]);
    });

    it('may replace as many edges as an object has at most (K-25)', async () => {
      const key = podKey('p1');
      const edgesFrom = (first: number): readonly OwnerEdge[] =>
        Array.from({ length: 32 }, (_, n) => anEdge({ owner: `owner-${first + n}` }));
      const before = edgesFrom(0);
      const { revision, commit } = await change(stores().objects, { key, edges: put(...before) });
      const edges = { puts: edgesFrom(32), removes: before.map(({ owner }) => owner) };
      const { outcome } = await change(stores().objects, {
        key,
        uid: commit.uid,
        expected: revision,
        edges,
      });
      expect(outcome).toEqual({ outcome: 'committed' });
      expect(await all('owner-31')).toEqual([]);
      expect(await all('owner-32')).toHaveLength(1);
    });

    it('stores that the object has edges', async () => {
      const facts = { hasEdges: true } as const;
      await change(stores().objects, { key: secretKey('s1'), facts, edges: put(anEdge()) });
      expect(await stores().objects.read(secretKey('s1'))).toMatchObject({ facts });
      await change(stores().objects, { key: secretKey('s2') });
      expect(await stores().objects.read(secretKey('s2'))).toMatchObject({ facts: {} });
    });
  });
};

const pagesContract = (stores: () => OwnerEdgeStores): void => {
  const readAll = async (query: DependentsQuery): Promise<readonly (readonly string[])[]> => {
    const { dependents, next } = await stores().ownerEdges.dependents(query);
    const names = dependents.map(({ key }) => `${key.resource}/${key.namespace}/${key.name}`);
    return [names, ...(next === undefined ? [] : await readAll({ ...query, after: next }))];
  };

  describe('the dependents of an owner', () => {
    beforeEach(async () => {
      const keys = [
        podKey('b'),
        podKey('a', 'other'),
        podKey('a'),
        podKey('a-b'),
        secretKey('s'),
        { resource: 'podtemplates', namespace: 'default', name: 't' },
        { resource: 'namespaces', namespace: '', name: 'n' },
      ];
      for (const key of keys) await change(stores().objects, { key, edges: put(anEdge()) });
      await change(stores().objects, { key: podKey('x'), edges: put(anEdge({ owner: 'other' })) });
    });

    it('are read in pages, each once and in a fixed order', async () => {
      const pages = await readAll({ owner: OWNER, limit: 3 });
      expect(pages.every((page) => page.length <= 3)).toBe(true);
      expect(pages.flat()).toEqual([
        'namespaces//n',
        'pods/default/a-b',
        'pods/default/a',
        'pods/default/b',
        'pods/other/a',
        'podtemplates/default/t',
        'secrets/default/s',
      ]);
    });

    it('are read of one resource, whose name may begin another', async () => {
      const pages = await readAll({ owner: OWNER, resource: 'pods', limit: 2 });
      expect(pages.flat()).toEqual(['pods/default/a-b', 'pods/default/a', 'pods/default/b', 'pods/other/a']);
      expect((await readAll({ owner: OWNER, resource: 'secrets', limit: 2 })).flat()).toEqual([
        'secrets/default/s',
      ]);
      expect((await readAll({ owner: OWNER, resource: 'nodes', limit: 2 })).flat()).toEqual([]);
    });

    it('go on after the last one that was read, also when that one is gone', async () => {
      const { next } = await stores().ownerEdges.dependents({ owner: OWNER, resource: 'pods', limit: 1 });
      const row = await stores().objects.read(podKey('a-b'));
      await change(stores().objects, {
        key: podKey('a-b'),
        uid: row?.uid ?? '',
        expected: row?.revision ?? 0,
        type: 'DELETED',
        edges: remove(OWNER),
      });
      const query = {
        owner: OWNER,
        resource: 'pods',
        limit: 10,
        ...(next === undefined ? {} : { after: next }),
      };
      expect((await readAll(query)).flat()).toHaveLength(3);
    });
  });

  describe('the end of the sweep', () => {
    it('is kept', async () => {
      await stores().ownerEdges.complete();
      await stores().ownerEdges.complete();
      expect(await stores().ownerEdges.areComplete()).toBe(true);
    });
  });
};

/** Checks owner edges on one set of stores. `create` makes empty ones. */
export const ownerEdgesContract = (name: string, create: () => Promise<OwnerEdgeStores>): void => {
  describe(`owner edges on ${name}`, () => {
    let current: OwnerEdgeStores;
    beforeEach(async () => {
      current = await create();
    });
    commitsContract(() => current);
    pagesContract(() => current);
  });
};
