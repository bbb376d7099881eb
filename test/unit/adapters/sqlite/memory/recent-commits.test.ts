import { describe, expect, it } from 'vitest';
import {
  createRecentCommits,
  type RecentSlot,
} from '../../../../../shared/adapters/sqlite/memory/recent-commits.ts';
import { aTombstone } from '../../../../support/stores/builders.ts';

const PODS = 'pods';
const aSlot = (revision: number, resource = PODS): RecentSlot => ({
  resource,
  revision,
  at: revision,
  characters: 10,
  slot: () => aTombstone(revision, `a${revision}`),
});
const aCommit = (position: number, ...revisions: readonly number[]) => ({
  change: { position, characters: 10, change: () => ({ position }) },
  slots: revisions.map((revision) => aSlot(revision)),
});

/** A file with changes up to 7 and pods up to 100. */
const setUp = (commits = 3, characters = 100_000) => {
  const recent = createRecentCommits(
    { position: 7, revisions: new Map([[PODS, 100]]) },
    { commits, characters },
  );
  return {
    ...recent,
    positions: (after: number, limit = 10) => recent.changes(after, limit)?.map(({ position }) => position),
    revisions: (from: number, to: number) => {
      const found = recent.slots(PODS, from, to);
      return found && [...found.slots.keys()];
    },
  };
};

describe('the last commits in memory', () => {
  it.each([
    ['a position that the file has changes after', 6, undefined],
    ['the position at the start', 7, [8, 9]],
    ['a later one', 8, [9]],
    ['the last one', 9, []],
  ])('the changes after %s', (_, after, expected) => {
    const { add, positions } = setUp();
    add(aCommit(8, 101));
    add(aCommit(9, 102));
    expect(positions(after)).toEqual(expected);
  });

  it.each([
    ['that begins in the file', 100, 102, undefined],
    ['that begins in memory', 101, 104, [101, 103]],
    ['with holes only', 104, 110, []],
    ['that is long', 101, 1_000_000, undefined],
  ])('slots of a range %s', (_, from, to, expected) => {
    const { add, revisions } = setUp();
    add(aCommit(8, 101));
    add(aCommit(9, 103));
    expect(revisions(from, to)).toEqual(expected);
  });

  it('a number is known to be free, or not known', () => {
    const { add, slot } = setUp();
    add(aCommit(8, 101));
    expect(slot(PODS, 101)).toEqual({ slot: aTombstone(101, 'a101') });
    expect(slot(PODS, 102)).toEqual({ slot: undefined });
    expect(slot(PODS, 100)).toBeUndefined();
    expect(slot('nodes', 1)).toEqual({ slot: undefined });
  });

  it('what was dropped is read from the file, and what is lower, too', () => {
    const { add, positions, revisions } = setUp(2);
    for (const [position, revision] of [
      [8, 103],
      [9, 101],
      [10, 102],
    ] as const)
      add(aCommit(position, revision));
    expect(positions(7)).toBeUndefined();
    expect(positions(8)).toEqual([9, 10]);
    expect(revisions(101, 104)).toBeUndefined();
    expect(revisions(104, 105)).toEqual([]);
  });

  it('a commit that is larger than the memory is in the file only', () => {
    const { add, positions, revisions } = setUp(3, 50);
    add(aCommit(8, 101));
    expect(positions(7)).toBeUndefined();
    expect(positions(8)).toEqual([]);
    expect(revisions(101, 101)).toBeUndefined();
  });

  it('nothing is left of a transaction that has failed', () => {
    const { add, mark, undo, positions, revisions } = setUp();
    add(aCommit(8, 101));
    const place = mark();
    add(aCommit(9, 102, 103));
    add({ slots: [aSlot(104)] });
    undo(place);
    expect(positions(7)).toEqual([8]);
    expect(revisions(101, 105)).toEqual([101]);
    add(aCommit(9, 105));
    expect(positions(7)).toEqual([8, 9]);
    expect(revisions(101, 105)).toEqual([101, 105]);
  });

  it('a transaction with more commits than are kept may fail, too', () => {
    const { add, mark, undo, positions } = setUp();
    add(aCommit(8, 101));
    const place = mark();
    for (let more = 0; more < 5; more += 1) add(aCommit(9 + more, 102 + more));
    undo(place);
    expect(positions(8)).toBeUndefined();
    add(aCommit(9, 110));
    expect(positions(8)).toBeUndefined();
  });

  it('a read ends when it has enough', () => {
    const { add, slots, positions } = setUp(10, 10_000_000);
    for (const n of [1, 2, 3])
      add({
        change: { position: 7 + n, characters: 200_000, change: () => ({ position: 7 + n }) },
        slots: [{ ...aSlot(100 + n), characters: 200_000 }],
      });
    expect(positions(7)).toEqual([8, 9]);
    expect(slots(PODS, 101, 103)).toMatchObject({ upTo: 102 });
    expect(positions(7, 1)).toEqual([8]);
  });

  it('slots that are about to be removed are read from the file, with what is older', () => {
    const { add, forgetBefore, positions, revisions } = setUp(10);
    for (const [position, revision] of [
      [8, 102],
      [9, 101],
      [10, 103],
    ] as const)
      add(aCommit(position, revision));
    forgetBefore(101);
    expect(positions(7)).toEqual([8, 9, 10]);
    forgetBefore(102);
    expect(positions(8)).toBeUndefined();
    expect(positions(9)).toEqual([10]);
    expect(revisions(102, 103)).toBeUndefined();
    expect(revisions(103, 104)).toEqual([103]);
  });

  it('all is read from the file when it was changed', () => {
    const { add, forget, positions, revisions } = setUp();
    add(aCommit(8, 101));
    forget();
    expect(positions(7)).toBeUndefined();
    expect(revisions(101, 101)).toBeUndefined();
    add(aCommit(9, 102));
    expect(positions(8)).toEqual([9]);
    expect(revisions(102, 103)).toEqual([102]);
  });
});
