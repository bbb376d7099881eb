// What every ObjectStore keeps to, beside the transactions with heartbeat items (see commit-effects.contract.ts).
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore, Page, PageQuery } from '../../../shared/ports/store/object-store.ts';
import type { Revision, Row } from '../../../shared/ports/store/rows.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import {
  aCommit,
  aTombstone,
  change,
  EXPIRES_AT,
  nodeFacts,
  podFacts,
  podKey,
  T0,
} from '../../support/stores/builders.ts';

const revisionsContract = (objects: () => ObjectStore): void => {
  describe('revisions', () => {
    /** Until a slot has a revision, a store need not count it. */
    const use = async (resource: string, revision: Revision): Promise<void> => {
      await objects().putTombstone(resource, { slot: 'tombstone', revision, attempt: 'a', at: T0 });
    };

    it('have no counter before the first one is taken', async () => {
      expect(await objects().counter('nodes')).toBeUndefined();
    });

    it('start after the seed and increase by the number that is taken', async () => {
      expect((await objects().takeRevisions('nodes', 1, T0)).highest).toBe(T0 + 1);
      expect((await objects().takeRevisions('nodes', 32, T0 + 5000)).highest).toBe(T0 + 33);
      await use('nodes', T0 + 33);
      expect(await objects().counter('nodes')).toEqual({ counter: T0 + 33, watermarks: [], seed: T0 });
    });

    it('can get a counter without taking a number', async () => {
      expect((await objects().takeRevisions('nodes', 0, T0)).highest).toBe(T0);
      expect((await objects().takeRevisions('nodes', 0, T0 + 9)).highest).toBe(T0);
    });

    it('count separately for each resource', async () => {
      await objects().takeRevisions('nodes', 5, T0);
      expect((await objects().takeRevisions('pods', 1, T0 + 100)).highest).toBe(T0 + 101);
    });

    it('come with the epoch of holds, which only rises (V-103)', async () => {
      expect(await objects().takeRevisions('pods', 1, T0)).toEqual({ highest: T0 + 1, holdEpoch: 0 });
      expect(await objects().raiseHoldEpoch('pods', 3, T0)).toBe(T0 + 1);
      expect(await objects().raiseHoldEpoch('pods', 2, T0)).toBe(T0 + 1);
      expect(await objects().takeRevisions('pods', 2, T0)).toEqual({ highest: T0 + 3, holdEpoch: 3 });
      expect(await objects().raiseHoldEpoch('pods', 3, T0)).toBe(T0 + 3);
      expect(await objects().takeRevisions('nodes', 1, T0)).toEqual({ highest: T0 + 1, holdEpoch: 0 });
    });

    it('have a counter once the epoch of holds was raised (V-103)', async () => {
      expect(await objects().raiseHoldEpoch('nodes', 1, T0)).toBe(T0);
      expect(await objects().counter('nodes')).toEqual({ counter: T0, watermarks: [], seed: T0 });
      expect(await objects().takeRevisions('nodes', 1, T0 + 9)).toEqual({ highest: T0 + 1, holdEpoch: 1 });
    });

    it('are never given twice to concurrent writers', async () => {
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => objects().takeRevisions('nodes', 1, T0)),
      );
      expect(new Set(taken.map(({ highest }) => highest)).size).toBe(20);
    });

    it('give concurrent writers as many numbers as each takes', async () => {
      const counts = [1, 3, 2, 5];
      const all = await Promise.all(counts.map((count) => objects().takeRevisions('nodes', count, T0)));
      const taken = all.flatMap(({ highest: last }, place) =>
        Array.from({ length: counts[place] ?? 0 }, (_, before) => last - before),
      );
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 11 }, (_, n) => T0 + 1 + n));
      await use('nodes', T0 + 2);
      expect((await objects().counter('nodes'))?.counter).toBe(T0 + 11);
    });

    it('keep watermarks, and replace them only if they are those that were read', async () => {
      await objects().takeRevisions('nodes', 10, T0);
      const [first, second] = [
        { revision: T0 + 3, at: T0 + 100 },
        { revision: T0 + 7, at: T0 + 200 },
      ];
      await objects().replaceWatermarks('nodes', [], [first]);
      expect((await objects().counter('nodes'))?.watermarks).toEqual([first]);
      await objects().replaceWatermarks('nodes', [first], [first, second]);
      await objects().takeRevisions('nodes', 1, T0);
      await use('nodes', T0 + 11);
      expect(await objects().counter('nodes')).toEqual({
        counter: T0 + 11,
        watermarks: [first, second],
        seed: T0,
      });
    });

    it('ignore watermarks of a list that has read others, and of a resource without counter (V-10)', async () => {
      await objects().takeRevisions('nodes', 10, T0);
      const [stored, late] = [
        { revision: T0 + 7, at: T0 + 200 },
        { revision: T0 + 5, at: T0 + 300 },
      ];
      await objects().replaceWatermarks('nodes', [stored], [late]);
      expect((await objects().counter('nodes'))?.watermarks).toEqual([]);
      await objects().replaceWatermarks('nodes', [], [stored]);
      await objects().replaceWatermarks('nodes', [], [late]);
      await objects().replaceWatermarks('nodes', [{ ...stored, at: T0 + 201 }], [late]);
      await objects().replaceWatermarks('pods', [], [stored]);
      expect((await objects().counter('nodes'))?.watermarks).toEqual([stored]);
      expect(await objects().counter('pods')).toBeUndefined();
    });

    it('keep the first floor sample of each minute, oldest first', async () => {
      await objects().addFloorSample('nodes', { minute: 29_459_521, counter: 7 }, EXPIRES_AT);
      await objects().addFloorSample('nodes', { minute: 29_459_520, counter: 5 }, EXPIRES_AT);
      await objects().addFloorSample('nodes', { minute: 29_459_521, counter: 9 }, EXPIRES_AT);
      await objects().addFloorSample('pods', { minute: 29_459_519, counter: 1 }, EXPIRES_AT);
      expect(await objects().floorSamples('nodes')).toEqual([
        { minute: 29_459_520, counter: 5 },
        { minute: 29_459_521, counter: 7 },
      ]);
    });
  });
};

const slotsContract = (objects: () => ObjectStore): void => {
  describe('slots', () => {
    it('fill a hole with a tombstone', async () => {
      const tombstone = aTombstone(T0 + 1);
      expect(await objects().putTombstone('nodes', tombstone)).toBeUndefined();
      expect(await objects().slots('nodes', T0 + 1, T0 + 1)).toEqual({
        slots: new Map([[T0 + 1, tombstone]]),
        upTo: T0 + 1,
      });
    });

    it('return a tombstone that is stored already', async () => {
      const first = aTombstone(T0 + 1);
      await objects().putTombstone('nodes', first);
      expect(await objects().putTombstone('nodes', aTombstone(T0 + 1))).toEqual(first);
    });

    it('return the entry of a commit that was faster (V-02)', async () => {
      const { commit, revision } = await change(objects(), { key: nodeKey('n1') });
      expect(await objects().putTombstone('nodes', aTombstone(revision))).toEqual(commit.entry);
    });

    it.each([[3], [20]])('return the filled ones of %i slots without the holes', async (count) => {
      const filled = Array.from({ length: count }, (_, n) => T0 + n).filter((n) => n % 3 !== 0);
      for (const revision of filled) await objects().putTombstone('nodes', aTombstone(revision));
      await objects().putTombstone('pods', aTombstone(T0));
      const { slots, upTo } = await objects().slots('nodes', T0, T0 + count - 1);
      expect([[...slots.keys()], upTo]).toEqual([filled, T0 + count - 1]);
      const none = await objects().slots('nodes', T0 + count, T0 + count + 10);
      expect(none).toEqual({ slots: new Map(), upTo: T0 + count + 10 });
    });

    it('return nothing for an empty range', async () => {
      expect((await objects().slots('nodes', T0 + 1, T0)).slots).toEqual(new Map());
    });

    it.each([[1], [2], [7], [40], [41]])(
      'are never called filled up to a hole, at %i of 40',
      async (hole) => {
        await objects().putTombstone('pods', aTombstone(T0 + hole));
        for (let n = 1; n <= 40; n += 1)
          if (n !== hole) await objects().putTombstone('nodes', aTombstone(T0 + n));
        const filled = await objects().filledUpTo('nodes', T0, T0 + 40);
        expect([T0, T0 + Math.min(40, hole - 1)]).toContain(filled);
        expect(await objects().filledUpTo('nodes', T0 + 40, T0 + 40)).toBe(T0 + 40);
      },
    );
  });
};

const commitContract = (objects: () => ObjectStore): void => {
  describe('commit', () => {
    it('writes the object and its entry (V-01)', async () => {
      const facts = { node: nodeFacts({ ready: 'True', readyTransitionAt: T0 + 1, clientReady: true }) };
      const { outcome, revision, commit } = await change(objects(), { key: nodeKey('n1'), facts });
      expect(outcome).toEqual({ outcome: 'committed' });
      const { object } = commit.entry;
      const expected: Row = { state: 'live', key: commit.key, uid: commit.uid, revision, object, facts };
      expect(await objects().read(nodeKey('n1'))).toEqual(expected);
      expect((await objects().slots('nodes', revision, revision)).slots.get(revision)).toEqual(commit.entry);
    });

    it('keeps ids that are not UUIDs, and the reverse patch', async () => {
      const created = await change(objects(), { key: podKey('p1'), uid: 'uid-1' });
      const { commit } = await change(objects(), {
        key: podKey('p1'),
        uid: 'uid-1',
        expected: created.revision,
      });
      expect(await objects().read(podKey('p1'))).toMatchObject({ uid: 'uid-1', revision: commit.revision });
      const { slots } = await objects().slots('pods', commit.revision, commit.revision);
      expect(slots.get(commit.revision)).toEqual(commit.entry);
    });

    it('is committed once, however often it is sent (V-03)', async () => {
      const { commit } = await change(objects(), { key: nodeKey('n1') });
      expect(await objects().commit(commit)).toEqual({ outcome: 'committed' });
      const later = await change(objects(), {
        key: nodeKey('n1'),
        uid: commit.uid,
        expected: commit.revision,
      });
      expect(await objects().commit(commit)).toEqual({ outcome: 'committed' });
      expect(await objects().read(nodeKey('n1'))).toMatchObject({ revision: later.revision });
    });

    it('refuses an update of a row that changed since it was read', async () => {
      const first = await change(objects(), { key: nodeKey('n1') });
      const second = await change(objects(), { key: nodeKey('n1'), expected: first.revision });
      const late = await change(objects(), { key: nodeKey('n1'), expected: first.revision });
      expect(late.outcome).toEqual({ outcome: 'objectConflict' });
      expect(await objects().read(nodeKey('n1'))).toMatchObject({ revision: second.revision });
      expect((await objects().slots('nodes', late.revision, late.revision)).slots).toEqual(new Map());
    });

    it('refuses an update of an absent row', async () => {
      const { outcome } = await change(objects(), { key: nodeKey('n1'), expected: T0 - 1 });
      expect(outcome).toEqual({ outcome: 'objectConflict' });
    });

    it('refuses a revision that is not above the one that was read', async () => {
      const { revision } = await change(objects(), { key: nodeKey('n1') });
      const outcome = await objects().commit(
        aCommit({ key: nodeKey('n1'), revision: revision - 1, expected: revision }),
      );
      expect(outcome).toEqual({ outcome: 'objectConflict' });
    });

    it('refuses to create an object that exists', async () => {
      await change(objects(), { key: nodeKey('n1') });
      expect((await change(objects(), { key: nodeKey('n1') })).outcome).toEqual({
        outcome: 'objectConflict',
      });
    });

    it('leaves a marker of a deleted object', async () => {
      const { revision, commit } = await change(objects(), { key: nodeKey('n1') });
      const { uid } = commit;
      const deleted = await change(objects(), {
        key: nodeKey('n1'),
        expected: revision,
        uid,
        type: 'DELETED',
      });
      expect(deleted.outcome).toEqual({ outcome: 'committed' });
      const marker: Row = { state: 'marker', key: nodeKey('n1'), uid, revision: deleted.revision };
      expect(await objects().read(nodeKey('n1'))).toEqual(marker);
    });

    it('creates over a marker with a higher revision', async () => {
      const first = await change(objects(), { key: nodeKey('n1') });
      await change(objects(), { key: nodeKey('n1'), expected: first.revision, type: 'DELETED' });
      const again = await change(objects(), { key: nodeKey('n1') });
      expect(again.outcome).toEqual({ outcome: 'committed' });
      expect(await objects().read(nodeKey('n1'))).toMatchObject({ state: 'live', uid: again.commit.uid });
    });

    it('refuses a stalled create below a create and delete of the same name (V-04)', async () => {
      const { highest: stalled } = await objects().takeRevisions('nodes', 1, T0);
      const first = await change(objects(), { key: nodeKey('n1') });
      await change(objects(), { key: nodeKey('n1'), expected: first.revision, type: 'DELETED' });
      const outcome = await objects().commit(aCommit({ key: nodeKey('n1'), revision: stalled }));
      expect(outcome).toEqual({ outcome: 'objectConflict' });
    });

    it('stores when an object expires in its row and in its entry', async () => {
      const key = { resource: 'events', namespace: 'default', name: 'e' };
      const { highest: revision } = await objects().takeRevisions('events', 1, T0);
      const { next, entry, ...commit } = aCommit({ key, revision });
      const ending = { ...commit, next, entry: { ...entry, expiresAt: EXPIRES_AT } };
      if (next === 'marker') throw new Error('an object is made');
      await objects().commit({ ...ending, next: { ...next, expiresAt: EXPIRES_AT } });
      expect(await objects().read(key)).toMatchObject({ expiresAt: EXPIRES_AT });
      expect((await objects().page({ resource: 'events', namespace: '' })).rows).toMatchObject([
        { expiresAt: EXPIRES_AT },
      ]);
      expect((await objects().slots('events', revision, revision)).slots.get(revision)).toEqual(ending.entry);
    });

    it('refuses an update of a marker', async () => {
      const first = await change(objects(), { key: nodeKey('n1') });
      const deleted = await change(objects(), {
        key: nodeKey('n1'),
        expected: first.revision,
        type: 'DELETED',
      });
      const late = await change(objects(), { key: nodeKey('n1'), expected: first.revision });
      expect(deleted.outcome).toEqual({ outcome: 'committed' });
      expect(late.outcome).toEqual({ outcome: 'objectConflict' });
    });

    it('finds its slot taken by a tombstone, also where the object conflicts (V-02)', async () => {
      await change(objects(), { key: nodeKey('n1') });
      const { highest: revision } = await objects().takeRevisions('nodes', 1, T0);
      const tombstone = aTombstone(revision);
      await objects().putTombstone('nodes', tombstone);
      const outcome = await objects().commit(aCommit({ key: nodeKey('n1'), revision }));
      expect(outcome).toEqual({ outcome: 'slotTaken', slot: tombstone });
    });

    it('does not take a tombstone for a commit, not even one of the same attempt', async () => {
      const { highest: revision } = await objects().takeRevisions('nodes', 1, T0);
      const commit = aCommit({ key: nodeKey('n1'), revision });
      await objects().putTombstone('nodes', aTombstone(revision, commit.entry.attempt));
      expect(await objects().commit(commit)).toMatchObject({ outcome: 'slotTaken' });
      expect(await objects().read(nodeKey('n1'))).toBeUndefined();
    });

    describe('of two entries', () => {
      const key = podKey('p1');

      /** The deletion of a pod that logs its last state first, not yet sent. */
      const deletion = async () => {
        const { revision: expected } = await change(objects(), { key });
        const { highest: revision } = await objects().takeRevisions('pods', 2, T0);
        const commit = aCommit({ key, revision, expected, type: 'DELETED', isSeenBefore: true });
        return { commit, first: revision - 1, last: revision };
      };

      it('writes both, and is committed once, however often it is sent', async () => {
        const { commit, first, last } = await deletion();
        expect(await objects().commit(commit)).toEqual({ outcome: 'committed' });
        expect(await objects().commit(commit)).toEqual({ outcome: 'committed' });
        const { slots } = await objects().slots('pods', first, last);
        expect([...slots]).toEqual([
          [first, commit.preceding],
          [last, commit.entry],
        ]);
        expect(await objects().read(key)).toMatchObject({ state: 'marker', revision: last });
      });

      it.each([
        ['first', 0],
        ['second', 1],
      ])('writes neither if the %s slot is taken', async (_name, place) => {
        const { commit, first, last } = await deletion();
        const tombstone = aTombstone(first + place);
        await objects().putTombstone('pods', tombstone);
        expect(await objects().commit(commit)).toEqual({ outcome: 'slotTaken', slot: tombstone });
        expect([...(await objects().slots('pods', first, last)).slots.values()]).toEqual([tombstone]);
        expect(await objects().read(key)).toMatchObject({ state: 'live' });
      });

      it('writes neither if the object changed since it was read', async () => {
        const { commit, first, last } = await deletion();
        await change(objects(), { key, ...(commit.expected ? { expected: commit.expected } : {}) });
        expect(await objects().commit(commit)).toEqual({ outcome: 'objectConflict' });
        expect((await objects().slots('pods', first, last)).slots).toEqual(new Map());
      });
    });

    it('accepts one of several writers of the same row', async () => {
      const { revision } = await change(objects(), { key: nodeKey('n1') });
      const others = Array.from({ length: 5 }, () =>
        change(objects(), { key: nodeKey('n1'), expected: revision }),
      );
      const outcomes = (await Promise.all(others)).map(({ outcome }) => outcome.outcome);
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1);
    });
  });
};

const pageAll = async (objects: ObjectStore, query: PageQuery): Promise<readonly Page[]> => {
  const pages: Page[] = [];
  for (let after = query.after, round = 0; round < 200; round++) {
    const page = await objects.page({ ...query, ...(after === undefined ? {} : { after }) });
    pages.push(page);
    if (page.next === undefined) return pages;
    after = page.next;
  }
  throw new Error('the pages do not end');
};

const namesIn = (pages: readonly Page[]): readonly string[] =>
  pages.flatMap(({ rows }) => rows.map(({ key }) => `${key.namespace}/${key.name}`));

const inTurn = async <T>(items: readonly T[], work: (item: T, index: number) => Promise<void>) => {
  const AT_ONCE = 20;
  for (let first = 0; first < items.length; first += AT_ONCE)
    await Promise.all(items.slice(first, first + AT_ONCE).map((item, n) => work(item, first + n)));
};

const pagesContract = (objects: () => ObjectStore): void => {
  describe('pages', () => {
    const COUNT = 120;
    const AT_ONCE = 20;
    const names = Array.from({ length: COUNT }, (_, n) => `pod-${String(n).padStart(3, '0')}`);
    const sorted = names.map((name) => `default/${name}`);

    const fill = async (resource: string): Promise<void> => {
      const { highest: last } = await objects().takeRevisions(resource, COUNT + 2, T0);
      const keys = [
        ...names.map((name) => ({ resource, namespace: 'default', name })),
        { resource, namespace: 'default2', name: 'other' },
        { resource, namespace: 'a', name: 'first' },
      ];
      const commits = keys.map((key, n) => aCommit({ key, revision: last - n }));
      for (let first = 0; first < commits.length; first += AT_ONCE) {
        const some = commits.slice(first, first + AT_ONCE);
        const outcomes = await Promise.all(some.map((commit) => objects().commit(commit)));
        expect(outcomes.filter(({ outcome }) => outcome !== 'committed')).toEqual([]);
      }
    };

    it('have no row where the store knows that there is none', async () => {
      await change(objects(), { key: nodeKey('n1') });
      expect(objects().mayHave('nodes')).toBe(true);
      for (const resource of ['nodes', 'configmaps'])
        if (!objects().mayHave(resource))
          expect(await objects().page({ resource, namespace: '' })).toEqual({ rows: [] });
    });

    it('are empty for an empty resource', async () => {
      expect(await objects().page({ resource: 'pods', namespace: '' })).toEqual({ rows: [] });
      expect(await objects().page({ resource: 'pods', namespace: 'default', limit: 5 })).toEqual({
        rows: [],
      });
    });

    it('have all rows of all shards in order, with and without a limit', async () => {
      await fill('pods');
      const all = ['a/first', ...sorted, 'default2/other'];
      expect(namesIn([await objects().page({ resource: 'pods', namespace: '' })])).toEqual(all);
      const pages = await pageAll(objects(), { resource: 'pods', namespace: '', limit: 25 });
      expect(namesIn(pages)).toEqual(all);
      expect(pages.every(({ rows }) => rows.length <= 25)).toBe(true);
    });

    it('stay within a namespace: whole, in pages, and after a key', async () => {
      await fill('pods');
      expect(namesIn([await objects().page({ resource: 'pods', namespace: 'default' })])).toEqual(sorted);
      const pages = await pageAll(objects(), { resource: 'pods', namespace: 'default', limit: 50 });
      expect(namesIn(pages)).toEqual(sorted);
      const behind = await objects().page({
        resource: 'pods',
        namespace: 'default',
        after: 'default/pod-110',
      });
      expect(namesIn([behind])).toEqual(sorted.slice(111));
      const before = await objects().page({ resource: 'pods', namespace: 'default', after: 'a/first' });
      expect(namesIn([before])).toEqual(sorted);
      const beyond = await objects().page({
        resource: 'pods',
        namespace: 'default',
        after: 'default2/other',
        limit: 5,
      });
      expect(beyond).toEqual({ rows: [] });
    });

    it('count the rows after a page, or not at all', async () => {
      await fill('pods');
      const query = { resource: 'pods', namespace: 'default', after: 'default/pod-009', counts: true };
      const { next, behind } = await objects().page({ ...query, limit: 10 });
      if (objects().lag.tableMs === 0) expect([next, behind]).toEqual(['default/pod-019', 100]);
      else expect(behind).toBeUndefined();
      expect((await objects().page({ ...query, limit: 10, counts: false })).behind).toBeUndefined();
      const rest = await objects().page({ ...query, limit: 200 });
      expect([rest.rows.length, rest.behind]).toEqual([110, undefined]);
    });

    it('may have one row each, for a resource of one shard', async () => {
      for (const name of ['b', 'a', 'c'])
        await change(objects(), { key: { resource: 'secrets', namespace: 'x', name } });
      const pages = await pageAll(objects(), { resource: 'secrets', namespace: 'x', limit: 1 });
      expect(namesIn(pages)).toEqual(['x/a', 'x/b', 'x/c']);
    });

    it('leave out markers and show rows that were just written', async () => {
      const { revision } = await change(objects(), { key: nodeKey('n1') });
      await change(objects(), { key: nodeKey('n1'), expected: revision, type: 'DELETED' });
      await change(objects(), { key: nodeKey('n2') });
      const { rows } = await objects().page({ resource: 'nodes', namespace: '' });
      expect(rows.map(({ state, key }) => [state, key.name])).toEqual([['live', 'n2']]);
      await change(objects(), { key: nodeKey('n1') });
      const again = await objects().page({ resource: 'nodes', namespace: '' });
      expect(again.rows.map(({ key }) => key.name)).toEqual(['n1', 'n2']);
    });

    it.each(['secrets', 'pods'])('find the %s after many markers within two pages', async (resource) => {
      const markers = Array.from({ length: 200 }, (_, n) => ({
        resource,
        namespace: 'default',
        name: `a${String(n).padStart(3, '0')}`,
      }));
      const { highest } = await objects().takeRevisions(resource, 2 * markers.length, T0);
      const first = highest - 2 * markers.length;
      await inTurn(markers, async (key, n) => {
        const revision = first + 2 * n + 1;
        await objects().commit(aCommit({ key, revision }));
        await objects().commit(aCommit({ key, revision: revision + 1, expected: revision, type: 'DELETED' }));
      });
      await change(objects(), { key: { resource, namespace: 'default', name: 'b' } });
      const pages = await pageAll(objects(), { resource, namespace: 'default', limit: 1 });
      expect(namesIn(pages)).toEqual(['default/b']);
      expect(pages.length).toBeLessThanOrEqual(2);
    });
  });
};

const healthRows = async (objects: ObjectStore): Promise<readonly NodeHealthRow[]> => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of objects.nodeHealth()) rows.push(...value);
  return rows.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
};

/** Indexes lag on a real DynamoDB. */
const eventually = { timeout: 10_000, interval: 200 };

const indexesContract = (objects: () => ObjectStore): void => {
  describe('indexes', () => {
    const toleration = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 300 };

    it('find the pods of a node', async () => {
      const facts = podFacts({
        nodeName: 'n1',
        boundAt: T0 + 7,
        toleratedAt: T0 + 8,
        tolerations: [toleration],
        phase: 'Running',
        deletionTimestamp: '2026-01-05T00:00:30Z',
        owner: 'ReplicaSet/web',
      });
      const { commit } = await change(objects(), { key: podKey('p1'), facts: { pod: facts } });
      await change(objects(), { key: podKey('p2'), facts: { pod: podFacts({ nodeName: 'n2' }) } });
      await expect
        .poll(async () => (await objects().podsByNode('n1')).value, eventually)
        .toEqual([
          {
            state: 'live',
            key: podKey('p1'),
            uid: commit.uid,
            revision: commit.revision,
            object: commit.entry.object,
            facts: { pod: facts },
          },
        ]);
      expect((await objects().podsByNode('n1')).freshness).toBe('eventual');
    });

    it('drop a pod when it is deleted', async () => {
      const { revision } = await change(objects(), {
        key: podKey('p1'),
        facts: { pod: podFacts({ nodeName: 'n1' }) },
      });
      await change(objects(), { key: podKey('p1'), expected: revision, type: 'DELETED' });
      await expect.poll(async () => (await objects().podsByNode('n1')).value, eventually).toEqual([]);
    });

    it('find unbound pods until they are bound', async () => {
      const { revision } = await change(objects(), { key: podKey('p1') });
      await change(objects(), { key: podKey('p2') });
      const unbound = async () =>
        (await Array.fromAsync(objects().unboundPods()))
          .flatMap(({ value }) => value.map(({ key }) => key.name))
          .toSorted();
      await expect.poll(unbound, eventually).toEqual(['p1', 'p2']);
      await change(objects(), {
        key: podKey('p1'),
        expected: revision,
        facts: { pod: podFacts({ nodeName: 'n1', boundAt: T0 }) },
      });
      await expect.poll(unbound, eventually).toEqual(['p2']);
    });

    it('find the pods that have ended, with their places (K-71)', async () => {
      const ended = (terminatedPlace?: string) => ({
        pod: podFacts({ nodeName: 'n1', ...(terminatedPlace === undefined ? {} : { terminatedPlace }) }),
      });
      const names = Array.from({ length: 40 }, (_, n) => `p${n}`);
      for (const name of names)
        await change(objects(), { key: podKey(name), facts: ended(`1/2026-01-01T00:00:00Z/${name}`) });
      const { revision } = await change(objects(), { key: podKey('running'), facts: ended() });
      const found = async () =>
        (await Array.fromAsync(objects().terminatedPods())).flatMap(({ value }) =>
          value.map(({ key, place }) => `${key.resource}/${key.namespace}/${key.name} ${place}`),
        );
      const expected = names.map((name) => `pods/default/${name} 1/2026-01-01T00:00:00Z/${name}`);
      await expect.poll(async () => (await found()).toSorted(), eventually).toEqual(expected.toSorted());
      await change(objects(), { key: podKey('running'), expected: revision, facts: ended('0/now/running') });
      await expect.poll(async () => (await found()).length, eventually).toBe(41);
      const [gone] = [await objects().read(podKey('p0'))];
      await change(objects(), { key: podKey('p0'), expected: gone?.revision ?? 0, type: 'DELETED' });
      await expect.poll(async () => (await found()).length, eventually).toBe(40);
    });

    it('do not limit the facts in the row of a node', async () => {
      const facts = nodeFacts({
        ready: 'Unknown',
        silenced: true,
        isClaimed: true,
        noExecute: [{ key: 'team', value: 'gone', since: T0 + 5 }],
        formerNoExecute: [
          { key: 'node.kubernetes.io/unreachable', since: T0 + 1, goneAt: T0 + 5 },
          { key: 'team', value: 'ill', since: T0 + 2, goneAt: T0 + 5 },
        ],
        losses: [{ lostAt: T0 + 1 }, { lostAt: T0 + 4 }],
      });
      await change(objects(), { key: nodeKey('n1'), facts: { node: facts } });
      expect(await objects().read(nodeKey('n1'))).toMatchObject({ facts: { node: facts } });
    });

    it('show the health of every existing node', async () => {
      const uid = randomUUID();
      const facts = nodeFacts({
        ready: 'Unknown',
        readyTransitionAt: T0 + 3,
        excludeDisruption: true,
        clientReady: true,
        noExecute: [
          { key: 'node.kubernetes.io/unreachable', since: T0 + 4 },
          { key: 'team', value: 'gone', since: T0 + 5 },
        ],
      });
      await change(objects(), { key: nodeKey('n1'), uid, facts: { node: facts } });
      const gone = await change(objects(), { key: nodeKey('n2') });
      await change(objects(), { key: nodeKey('n2'), expected: gone.revision, type: 'DELETED' });
      const bare = await change(objects(), { key: nodeKey('n3'), facts: { node: nodeFacts({ zone: '' }) } });
      await expect
        .poll(() => healthRows(objects()), eventually)
        .toEqual([
          { name: 'n1', uid, ...facts },
          { name: 'n3', uid: bare.commit.uid, ...nodeFacts({ zone: '' }) },
        ]);
    });
  });
};

export const objectLogContract = (name: string, create: () => Promise<ObjectStore>): void => {
  describe(`ObjectStore: ${name}`, () => {
    let objects: ObjectStore;
    const current = () => objects;
    beforeEach(async () => {
      objects = await create();
    });
    revisionsContract(current);
    slotsContract(current);
    commitContract(current);
    pagesContract(current);
    indexesContract(current);
  });
};
