import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import type { Commit, CommitOutcome } from '../../../shared/ports/commit.ts';
import type { ObjectLog } from '../../../shared/ports/object-log.ts';
import { NUMBER_MAX_AGE_MS, settleCommit } from '../../../shared/state/commit-protocol.ts';

const KEY = { resource: 'configmaps', namespace: 'default', name: 'a' };
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', uid: 'u' },
};

const setUp = async (
  answer: (log: ObjectLog, commit: Commit, call: number) => Promise<CommitOutcome>,
  isOfTwo = false,
) => {
  const clock = createVirtualClock();
  const { log } = createMemoryState();
  const revision = await log.takeRevisions(KEY.resource, isOfTwo ? 2 : 1, clock.now());
  const entry = {
    slot: 'entry',
    revision,
    type: 'ADDED',
    key: KEY,
    object,
    before: null,
    attempt: 'mine',
    at: clock.now(),
  } as const;
  const commit: Commit = {
    key: KEY,
    revision,
    expected: undefined,
    uid: 'u',
    next: { uid: 'u', object, facts: {} },
    entry,
    ...(isOfTwo ? { preceding: { ...entry, revision: revision - 1 } } : {}),
  };
  let calls = 0;
  const faulty: ObjectLog = {
    ...log,
    commit: (given) => {
      calls += 1;
      return answer(log, given, calls);
    },
  };
  const settle = () =>
    clock.run(settleCommit({ log: faulty, clock, ids: { uuid: () => 'x', random: () => 0.5 } }, commit));
  const slotAt = async (at: number) => (await log.slots(KEY.resource, at, at)).get(at)?.slot;
  const slot = () => slotAt(revision);
  return { clock, settle, slot, slotBelow: () => slotAt(revision - 1), calls: () => calls };
};

const silent = async (outcome: CommitOutcome['outcome']): Promise<CommitOutcome> =>
  ({ outcome }) as CommitOutcome;

describe('a commit', () => {
  it.each<{
    name: string;
    answer: (log: ObjectLog, commit: Commit, call: number) => Promise<CommitOutcome>;
    fate: string;
    slot: string;
  }>([
    {
      name: 'that goes through (W-01)',
      answer: (log, commit) => log.commit(commit),
      fate: 'committed',
      slot: 'entry',
    },
    {
      name: 'that meets another version (W-02)',
      answer: () => silent('objectConflict'),
      fate: 'objectConflict',
      slot: 'tombstone',
    },
    {
      name: 'whose check fails (W-03)',
      answer: () => silent('checkFailed'),
      fate: 'checkFailed',
      slot: 'tombstone',
    },
    {
      name: 'that is busy twice and then goes through (W-05)',
      answer: (log, commit, call) => (call < 3 ? silent('busy') : log.commit(commit)),
      fate: 'committed',
      slot: 'entry',
    },
    { name: 'that stays busy (W-05)', answer: () => silent('busy'), fate: 'abandoned', slot: 'tombstone' },
    {
      name: 'whose answer is lost before it is carried out (W-06)',
      answer: () => silent('unclear'),
      fate: 'abandoned',
      slot: 'tombstone',
    },
    {
      name: 'whose answer is lost after it was carried out (W-06)',
      answer: async (log, commit) => {
        await log.commit(commit);
        return { outcome: 'unclear' };
      },
      fate: 'committed',
      slot: 'entry',
    },
    {
      name: 'whose repeat meets its own object (W-02)',
      answer: async (log, commit) => {
        await log.commit(commit);
        return { outcome: 'objectConflict' };
      },
      fate: 'committed',
      slot: 'entry',
    },
    {
      name: 'whose slot a reader has filled (W-04, V-08)',
      answer: async (log, commit) => {
        const { resource } = commit.key;
        await log.putTombstone(resource, {
          slot: 'tombstone',
          revision: commit.revision,
          attempt: 'reader',
          at: 0,
        });
        return log.commit(commit);
      },
      fate: 'abandoned',
      slot: 'tombstone',
    },
  ])('$name ends as $fate and leaves a slot: $slot', async ({ answer, fate, slot }) => {
    const world = await setUp(answer);
    expect(await world.settle()).toBe(fate);
    expect(await world.slot()).toBe(slot);
  });

  describe('of two entries (W-02, W-04, W-06)', () => {
    it.each<{
      name: string;
      answer: (log: ObjectLog, commit: Commit) => Promise<CommitOutcome>;
      fate: string;
      slot: string;
    }>([
      {
        name: 'that goes through',
        answer: (log, commit) => log.commit(commit),
        fate: 'committed',
        slot: 'entry',
      },
      {
        name: 'whose answer is lost after it was carried out',
        answer: async (log, commit) => {
          await log.commit(commit);
          return { outcome: 'unclear' };
        },
        fate: 'committed',
        slot: 'entry',
      },
      {
        name: 'whose answer is lost before it is carried out',
        answer: () => silent('unclear'),
        fate: 'abandoned',
        slot: 'tombstone',
      },
      {
        name: 'that meets another version',
        answer: () => silent('objectConflict'),
        fate: 'objectConflict',
        slot: 'tombstone',
      },
      {
        name: 'whose first slot a reader has filled',
        answer: async (log, commit) => {
          const revision = commit.revision - 1;
          const tombstone = { slot: 'tombstone', revision, attempt: 'reader', at: 0 } as const;
          await log.putTombstone(commit.key.resource, tombstone);
          return log.commit(commit);
        },
        fate: 'abandoned',
        slot: 'tombstone',
      },
      {
        name: 'whose second slot a reader has filled',
        answer: async (log, commit) => {
          const tombstone = {
            slot: 'tombstone',
            revision: commit.revision,
            attempt: 'reader',
            at: 0,
          } as const;
          await log.putTombstone(commit.key.resource, tombstone);
          return log.commit(commit);
        },
        fate: 'abandoned',
        slot: 'tombstone',
      },
    ])('$name ends as $fate and leaves in both slots: $slot', async ({ answer, fate, slot }) => {
      const world = await setUp(answer, true);
      expect(await world.settle()).toBe(fate);
      expect([await world.slotBelow(), await world.slot()]).toEqual([slot, slot]);
    });
  });

  it('is sent again for half a second at most while it is busy (W-05)', async () => {
    const world = await setUp(() => silent('busy'));
    const startedAt = world.clock.now();
    await world.settle();
    expect(world.clock.now() - startedAt).toBeLessThan(600);
    expect(world.calls()).toBeGreaterThan(5);
  });

  it('is not sent with a number that has become old (W-07)', async () => {
    const world = await setUp((log, commit) => log.commit(commit));
    world.clock.advance(NUMBER_MAX_AGE_MS + 1);
    expect(await world.settle()).toBe('abandoned');
    expect(world.calls()).toBe(0);
    expect(await world.slot()).toBe('tombstone');
  });
});
