import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { Commit } from '../../../../shared/ports/store/commit.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { DYNAMODB_LAG } from '../../../../shared/ports/store/object-store.ts';
import type { Revision, Row } from '../../../../shared/ports/store/rows.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';

const RESOURCE = 'configmaps';
/** As many changes as make a list write a watermark, and some. */
const MANY = 40;

const objectOf = (name: string, revision: Revision): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, uid: name, resourceVersion: String(revision) },
});

const creation = (name: string, revision: Revision, at: number): Commit => {
  const key = { resource: RESOURCE, namespace: 'default', name };
  const object = objectOf(name, revision);
  return {
    key,
    revision,
    expected: undefined,
    uid: name,
    next: { uid: name, object, facts: {} },
    entry: { slot: 'entry', revision, type: 'ADDED', key, object, before: null, attempt: name, at },
  };
};

/** A store whose plain reads lack a row, or its slot, for as long as a test says so. */
const setUp = () => {
  const clock = createVirtualClock();
  const { objects } = createMemoryState();
  const unseen = { rows: new Set<string>(), slots: new Set<Revision>() };
  const lagging: ObjectStore = {
    ...objects,
    lag: DYNAMODB_LAG,
    page: async (query) => {
      const page = await objects.page(query);
      return { ...page, rows: page.rows.filter(({ key }: Row) => !unseen.rows.has(key.name)) };
    },
    slots: async (...range) => {
      const { slots, upTo } = await objects.slots(...range);
      return { slots: new Map([...slots].filter(([revision]) => !unseen.slots.has(revision))), upTo };
    },
  };
  const ids = { uuid: () => 'reader', random: () => 0.5 };
  const lister = createLister({ objects: lagging, clock, ids });
  const take = async () => ({
    revision: (await objects.takeRevisions(RESOURCE, 1, clock.now())).highest,
    at: clock.now(),
  });
  const create = async (name: string, { revision, at }: { revision: Revision; at: number }) =>
    expect(await objects.commit(creation(name, revision, at))).toEqual({ outcome: 'committed' });
  const createMany = async () => {
    for (let n = 0; n < MANY; n += 1) await create(`many-${n}`, await take());
  };
  const names = async () => {
    const { objects } = await clock.run(lister.list({ resource: RESOURCE, namespace: '' }));
    return objects.map(({ metadata }) => metadata.name);
  };
  return { clock, unseen, take, create, createMany, names };
};

describe('a list after one that resolved the same slots', () => {
  it('has the change of a writer that was suspended with its revision, although its row is not visible yet (V-05, V-09)', async () => {
    const { clock, unseen, take, create, createMany, names } = setUp();
    const early = await take();
    await createMany();
    clock.advance(30_000);
    unseen.rows.add('late');
    await create('late', early);
    expect(await names()).toContain('late');
    clock.advance(1_000);
    expect(await names()).toContain('late');
  });

  it('has a change whose slot was seen once, and then for a while neither slot nor row', async () => {
    const { clock, unseen, take, create, createMany, names } = setUp();
    await createMany();
    const last = await take();
    unseen.rows.add('last');
    await create('last', last);
    expect(await names()).toContain('last');
    unseen.slots.add(last.revision);
    clock.advance(100);
    expect(await names()).toContain('last');
  });

  it('reads no slot again once the rows must have caught up', async () => {
    const { clock, unseen, take, create, createMany, names } = setUp();
    await createMany();
    const last = await take();
    await create('last', last);
    await names();
    clock.advance(DYNAMODB_LAG.tableMs);
    unseen.slots.add(last.revision);
    const before = clock.now();
    expect(await names()).toContain('last');
    expect(clock.now()).toBe(before);
  });
});
