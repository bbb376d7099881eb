import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { tooManyRequests } from '../../../../shared/kube/errors/status-error.ts';
import type { Commit, CommitOutcome } from '../../../../shared/ports/store/commit.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { finishCommit, NUMBER_MAX_AGE_MS } from '../../../../shared/store/commit/commit-protocol.ts';

const KEY = { resource: 'configmaps', namespace: 'default', name: 'a' };
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', uid: 'u' },
};

const setUp = async (
  answer: (objects: ObjectStore, commit: Commit, call: number) => Promise<CommitOutcome>,
  isOfTwo = false,
  faults: Partial<ObjectStore> = {},
) => {
  const clock = createVirtualClock();
  const { objects } = createMemoryState();
  const { highest: revision } = await objects.takeRevisions(KEY.resource, isOfTwo ? 2 : 1, clock.now());
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
  const faulty: ObjectStore = {
    ...objects,
    ...faults,
    commit: (given) => {
      calls += 1;
      return answer(objects, given, calls);
    },
  };
  const settle = () =>
    clock.run(finishCommit({ objects: faulty, clock, ids: { uuid: () => 'x', random: () => 0.5 } }, commit));
  const slotAt = async (at: number) => (await objects.slots(KEY.resource, at, at)).slots.get(at)?.slot;
  const slot = () => slotAt(revision);
  return { clock, settle, slot, slotBelow: () => slotAt(revision - 1), calls: () => calls };
};

const silent = async (outcome: CommitOutcome['outcome']): Promise<CommitOutcome> =>
  ({ outcome }) as CommitOutcome;

describe('a commit', () => {
  it.each<{
    name: string;
    answer: (objects: ObjectStore, commit: Commit, call: number) => Promise<CommitOutcome>;
    fate: string;
    slot: string;
  }>([
    {
      name: 'that goes through (W-01)',
      answer: (objects, commit) => objects.commit(commit),
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
      answer: (objects, commit, call) => (call < 3 ? silent('busy') : objects.commit(commit)),
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
      answer: async (objects, commit) => {
        await objects.commit(commit);
        return { outcome: 'unclear' };
      },
      fate: 'committed',
      slot: 'entry',
    },
    {
      name: 'whose repeat meets its own object (W-02)',
      answer: async (objects, commit) => {
        await objects.commit(commit);
        return { outcome: 'objectConflict' };
      },
      fate: 'committed',
      slot: 'entry',
    },
    {
      name: 'whose slot a reader has filled (W-04, V-08)',
      answer: async (objects, commit) => {
        const { resource } = commit.key;
        await objects.putTombstone(resource, {
          slot: 'tombstone',
          revision: commit.revision,
          attempt: 'reader',
          at: 0,
        });
        return objects.commit(commit);
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
      answer: (objects: ObjectStore, commit: Commit) => Promise<CommitOutcome>;
      fate: string;
      slot: string;
    }>([
      {
        name: 'that goes through',
        answer: (objects, commit) => objects.commit(commit),
        fate: 'committed',
        slot: 'entry',
      },
      {
        name: 'whose answer is lost after it was carried out',
        answer: async (objects, commit) => {
          await objects.commit(commit);
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
        answer: async (objects, commit) => {
          const revision = commit.revision - 1;
          const tombstone = { slot: 'tombstone', revision, attempt: 'reader', at: 0 } as const;
          await objects.putTombstone(commit.key.resource, tombstone);
          return objects.commit(commit);
        },
        fate: 'abandoned',
        slot: 'tombstone',
      },
      {
        name: 'whose second slot a reader has filled',
        answer: async (objects, commit) => {
          const tombstone = {
            slot: 'tombstone',
            revision: commit.revision,
            attempt: 'reader',
            at: 0,
          } as const;
          await objects.putTombstone(commit.key.resource, tombstone);
          return objects.commit(commit);
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

  it('is sent again for at most half a second while it is busy (W-05)', async () => {
    const world = await setUp(() => silent('busy'));
    const startedAt = world.clock.now();
    await world.settle();
    expect(world.clock.now() - startedAt).toBeLessThan(600);
    expect(world.calls()).toBeGreaterThan(5);
  });

  it.each<CommitOutcome['outcome']>(['unclear', 'busy', 'objectConflict', 'checkFailed'])(
    'that ends as %s, and whose slot cannot be closed, has an unknown outcome, which no client repeats by itself (W-12)',
    async (outcome) => {
      const putTombstone = async () => {
        throw tooManyRequests('the storage is busy');
      };
      const world = await setUp(() => silent(outcome), false, { putTombstone });
      await expect(world.settle()).rejects.toMatchObject({
        code: 504,
        reason: 'Timeout',
        details: {},
        message: expect.stringContaining('may have been carried out or not'),
      });
    },
  );

  it('is not sent with an old revision (W-07, C-21)', async () => {
    const world = await setUp((objects, commit) => objects.commit(commit));
    world.clock.advance(NUMBER_MAX_AGE_MS + 1);
    expect(await world.settle()).toBe('abandoned');
    expect(world.calls()).toBe(0);
    expect(await world.slot()).toBe('tombstone');
  });
});
