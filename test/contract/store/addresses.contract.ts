// Blocks of addresses: what a commit does to them, what is written without a commit, and who waits.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AddressChange, AddressStore, Holder } from '../../../shared/ports/store/addresses.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { change, T0 } from '../../support/stores/builders.ts';

export interface AddressStores {
  readonly objects: ObjectStore;
  readonly addresses: AddressStore;
}

const RANGE = '10.244.0.0/16/24';
const SIX = 'fd00:10:244::/48/64';
const [A, B]: readonly [Holder, Holder] = [
  { uid: 'uid-a', name: 'a' },
  { uid: 'uid-b', name: 'b' },
];

const allocate = (
  holder: Holder,
  index: number,
  more: Partial<Extract<AddressChange, { change: 'allocate' }>> = {},
): AddressChange => ({
  change: 'allocate',
  range: RANGE,
  index,
  holder,
  wide: [],
  next: index + 1,
  ...more,
});

const hold = (
  holder: Holder,
  first: number,
  last = first,
  kind: 'hold' | 'leave' = 'hold',
): AddressChange => ({
  change: kind,
  range: RANGE,
  holder,
  first,
  last,
});

const sorted = (holders: readonly Holder[] = []) => holders.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));

const heldIn = async ({ addresses }: AddressStores, range = RANGE) => {
  const { blocks } = await addresses.blocks(range, 0);
  return Object.fromEntries(blocks.map(({ index, holders }) => [index, sorted(holders)]));
};

/** Writes a Node with these changes. */
const writeNode = (
  { objects }: AddressStores,
  { name, uid }: Holder,
  addresses: readonly AddressChange[],
  expected?: number,
) => change(objects, { key: nodeKey(name), uid, addresses, ...(expected === undefined ? {} : { expected }) });

const allocationsContract = (stores: () => AddressStores): void => {
  describe('an allocation', () => {
    it('gives a block to its first holder and moves the pointer, in both families or in none (C-11, C-12)', async () => {
      const six = allocate(A, 7, { range: SIX });
      expect((await writeNode(stores(), A, [allocate(A, 3), six])).outcome).toEqual({ outcome: 'committed' });
      expect(await heldIn(stores())).toEqual({ 3: [A] });
      expect(await heldIn(stores(), SIX)).toEqual({ 7: [A] });
      expect(await stores().addresses.range(RANGE)).toEqual({ next: 4, wide: [] });
      const later = [allocate(B, 4), allocate(B, 7, { range: SIX, next: 9 })];
      expect((await writeNode(stores(), B, later)).outcome).toEqual({ outcome: 'checkFailed' });
      expect(await heldIn(stores())).toEqual({ 3: [A] });
      expect((await stores().addresses.range(SIX)).next).toBe(8);
      expect(await stores().objects.read(nodeKey('b'))).toBeUndefined();
    });

    it('is not written where somebody holds the block, and is once the holder has left it (C-11)', async () => {
      await writeNode(stores(), A, [hold(A, 3)]);
      expect((await writeNode(stores(), B, [allocate(B, 3)])).outcome).toEqual({ outcome: 'checkFailed' });
      const gone = { key: nodeKey('c'), goneUid: 'uid-c' };
      expect(await stores().addresses.write({ changes: [hold(A, 3, 3, 'leave')], checks: [gone] })).toBe(
        'written',
      );
      expect((await writeNode(stores(), B, [allocate(B, 3)])).outcome).toEqual({ outcome: 'committed' });
      expect(await heldIn(stores())).toEqual({ 3: [B] });
    });

    it('is not written where the wide holds are not those that were read (C-14)', async () => {
      const wide = [
        { ...A, first: 2, last: 3 },
        { ...B, first: 8, last: 11 },
      ];
      await writeNode(stores(), A, [hold(A, 2, 3)]);
      expect((await writeNode(stores(), B, [allocate(B, 5)])).outcome).toEqual({ outcome: 'checkFailed' });
      await stores().addresses.write({ changes: [hold(B, 8, 11)], checks: [] });
      expect(sorted((await stores().addresses.range(RANGE)).wide)).toEqual(wide);
      const other = allocate(B, 5, { wide: wide.slice(0, 1) });
      expect((await writeNode(stores(), B, [other])).outcome).toEqual({ outcome: 'checkFailed' });
      const read = allocate(B, 5, { wide: wide.toReversed() });
      expect((await writeNode(stores(), B, [read])).outcome).toEqual({ outcome: 'committed' });
      expect(sorted((await stores().addresses.range(RANGE)).wide)).toEqual(wide);
    });

    it('changes nothing when the object conflicts', async () => {
      const { revision } = await writeNode(stores(), A, []);
      const { outcome } = await writeNode(stores(), A, [allocate(A, 0)], revision - 1);
      expect(outcome).toEqual({ outcome: 'objectConflict' });
      expect(await heldIn(stores())).toEqual({});
    });
  });
};

const holdsContract = (stores: () => AddressStores): void => {
  describe('a hold', () => {
    it('is stored whoever holds the block, once however often it is written (C-13)', async () => {
      await writeNode(stores(), A, [allocate(A, 3)]);
      await writeNode(stores(), B, [hold(B, 3)]);
      await stores().addresses.write({ changes: [hold(B, 3)], checks: [] });
      expect(await heldIn(stores())).toEqual({ 3: [A, B] });
    });

    it('ends for one holder and stays for the other (C-15)', async () => {
      await writeNode(stores(), A, [hold(A, 3)]);
      await writeNode(stores(), B, [hold(B, 3)]);
      const leave = { changes: [hold(A, 3, 3, 'leave')], checks: [] };
      for (const _again of [1, 2]) expect(await stores().addresses.write(leave)).toBe('written');
      expect(await heldIn(stores())).toEqual({ 3: [B] });
      await stores().addresses.write({ changes: [hold(B, 3, 3, 'leave')], checks: [] });
      expect(await heldIn(stores())).toEqual({});
    });

    it('of more than one block is stored with the range, and ends there', async () => {
      await stores().addresses.write({ changes: [hold(A, 4, 7)], checks: [] });
      expect(await stores().addresses.range(RANGE)).toEqual({ next: 0, wide: [{ ...A, first: 4, last: 7 }] });
      await stores().addresses.write({ changes: [hold(A, 4, 7, 'leave')], checks: [] });
      expect(await stores().addresses.range(RANGE)).toEqual({ next: 0, wide: [] });
    });

    it('is written only if the rows are as required', async () => {
      const { revision } = await writeNode(stores(), A, []);
      const { write } = stores().addresses;
      const changes = [hold(A, 1)];
      const key = nodeKey('a');
      expect(await write({ changes, checks: [{ key, revision: revision + 1 }] })).toBe('refused');
      expect(await write({ changes, checks: [{ key, goneUid: 'uid-a' }] })).toBe('refused');
      expect(await heldIn(stores())).toEqual({});
      expect(await write({ changes, checks: [{ key, revision }] })).toBe('written');
      expect(await heldIn(stores())).toEqual({ 1: [A] });
    });
  });
};

const readsContract = (stores: () => AddressStores): void => {
  describe('reads', () => {
    it('find nothing where nothing was written', async () => {
      expect(await stores().addresses.range(RANGE)).toEqual({ next: 0, wide: [] });
      expect(await stores().addresses.blocks(RANGE, 0)).toEqual({ blocks: [] });
      expect(await stores().addresses.waiting()).toEqual([]);
      expect(await stores().addresses.entered()).toBeUndefined();
    });

    it('find every block from an index on, in order, over as many pages as it takes', async () => {
      const { addresses } = stores();
      const indexes = Array.from({ length: 300 }, (_, n) => n * 3);
      for (const index of indexes) await addresses.write({ changes: [hold(A, index)], checks: [] });
      // Blocks that everybody has left do not end a search.
      for (const index of indexes.slice(10, 280))
        await addresses.write({ changes: [hold(A, index, index, 'leave')], checks: [] });
      const found: number[] = [];
      for (let from: number | undefined = 4; from !== undefined; ) {
        const page = await addresses.blocks(RANGE, from);
        found.push(...page.blocks.map(({ index }) => index));
        from = page.next;
      }
      expect(found).toEqual([...indexes.slice(2, 10), ...indexes.slice(280)]);
    });

    it('list those that wait, the oldest first, each once', async () => {
      const { addresses } = stores();
      await addresses.wait({ ...B, since: T0 + 5 });
      await addresses.wait({ ...A, since: T0 + 9 });
      await addresses.wait({ ...B, since: T0 + 20 });
      expect(await addresses.waiting()).toEqual([
        { ...B, since: T0 + 5 },
        { ...A, since: T0 + 9 },
      ]);
      await addresses.stopWaiting(B.uid);
      await addresses.stopWaiting(B.uid);
      expect(await addresses.waiting()).toEqual([{ ...A, since: T0 + 9 }]);
    });

    it('know for which ranges all blocks were entered', async () => {
      const { addresses } = stores();
      await addresses.setEntered('a b');
      expect(await addresses.entered()).toBe('a b');
      await addresses.setEntered(undefined);
      expect(await addresses.entered()).toBeUndefined();
    });
  });
};

/** Every adapter of `AddressStore` has to pass it. */
export const addressesContract = (name: string, create: () => Promise<AddressStores>): void => {
  describe(`blocks of addresses (${name})`, () => {
    let current: AddressStores;
    const stores = (): AddressStores => current;
    beforeEach(async () => {
      current = await create();
    });
    allocationsContract(stores);
    holdsContract(stores);
    readsContract(stores);
  });
};
