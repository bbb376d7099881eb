// Reads of large objects: stores end them before they have parsed much more than `CHARACTERS_PER_READ`.
import { beforeEach, describe, expect, it } from 'vitest';
import { CHARACTERS_PER_READ, type ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { aCommit, T0 } from '../../support/stores/builders.ts';
import type { LogWithFeed } from './change-feed.contract.ts';

const RESOURCE = 'configmaps';
const COUNT = 20;
const CHARACTERS = 300_000;
/** Text that shrinks to almost nothing: what is stored says little about what a read costs. */
const TEXT = 'x'.repeat(CHARACTERS);
/** Objects of which the last one exceeds the limit. */
const MOST_ROWS = Math.ceil(CHARACTERS_PER_READ / CHARACTERS);

const names = Array.from({ length: COUNT }, (_, n) => `c${String(n).padStart(2, '0')}`);
const query = { resource: RESOURCE, namespace: 'default' };

const fill = async (objects: ObjectStore): Promise<void> => {
  const { highest: last } = await objects.takeRevisions(RESOURCE, COUNT, T0);
  for (const [n, name] of names.entries()) {
    const plain = aCommit({ key: { ...query, name }, revision: last - COUNT + 1 + n });
    if (plain.next === 'marker') throw new Error('a marker has no object');
    const object = { ...plain.next.object, data: { text: TEXT } };
    const commit = { ...plain, next: { ...plain.next, object }, entry: { ...plain.entry, object } };
    expect(await objects.commit(commit)).toEqual({ outcome: 'committed' });
  }
};

/** For stores whose changes are read from a feed. */
export const largeFeedContract = (name: string, create: () => Promise<LogWithFeed>): void => {
  it(`${name}: large objects end a read of the feed, and the next ones have the rest`, async () => {
    const { objects, feed } = await create();
    await fill(objects);
    const found: (string | undefined)[] = [];
    let after = 0;
    for (let changes = await feed.read(after, 100); changes.length > 0; ) {
      expect(changes.length).toBeLessThanOrEqual(MOST_ROWS);
      found.push(...changes.map((change) => change.after?.key.name));
      after = changes.at(-1)?.position ?? after;
      changes = await feed.read(after, 100);
    }
    expect(found).toEqual(names);
  });
};

export const largeReadsContract = (name: string, create: () => Promise<ObjectStore>): void => {
  describe(`${name}: large objects`, () => {
    let objects: ObjectStore;

    beforeEach(async () => {
      objects = await create();
      await fill(objects);
    });

    it('end a page that has a limit, and the next ones have the rest', async () => {
      const found: string[] = [];
      let after: string | undefined = '';
      while (after !== undefined) {
        const page = await objects.page({ ...query, after, limit: 500 });
        expect(page.rows.length).toBeLessThanOrEqual(MOST_ROWS);
        found.push(...page.rows.map(({ key }) => key.name));
        after = page.next;
      }
      expect(found).toEqual(names);
    });

    it('end a read of slots, and the next ones have the rest', async () => {
      const last = (await objects.counter(RESOURCE))?.counter ?? 0;
      const found: number[] = [];
      for (let from = last - COUNT + 1; from <= last; ) {
        const { slots, upTo } = await objects.slots(RESOURCE, from, last);
        expect(slots.size).toBeLessThanOrEqual(MOST_ROWS);
        expect([...slots.keys()].at(-1)).toBe(upTo);
        found.push(...slots.keys());
        from = upTo + 1;
      }
      expect(found).toEqual(names.map((_, n) => last - COUNT + 1 + n));
    });

    it('are all in a page without a limit', async () => {
      const { rows, next } = await objects.page(query);
      expect([rows.map(({ key }) => key.name), next]).toEqual([names, undefined]);
    });
  });
};
