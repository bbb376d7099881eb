/** How much a state keeps in memory makes no difference to what it answers, and no number that a reader has seen is given again. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { MemoryLimits } from '../../../../../shared/adapters/sqlite/memory/commit-memory.ts';
import { openSqliteState, type SqliteState } from '../../../../../shared/adapters/sqlite/state.ts';
import type { Commit } from '../../../../../shared/ports/store/commit.ts';
import type { Page } from '../../../../../shared/ports/store/object-store.ts';
import type { ObjectKey, Row } from '../../../../../shared/ports/store/rows.ts';
import { aCommit, aTombstone, T0 } from '../../../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../../../support/stores/sqlite-folders.ts';

const root = temporaryFolder();
afterAll(() => removeFolder(root));

const RESOURCES = ['configmaps', 'events'];
const NAMES = ['a', 'b', 'c'];
const HOUR_MS = 3_600_000;
/** The default, so little that each group drops the one before, and nothing. */
const LIMITS: readonly (MemoryLimits | undefined)[] = [
  undefined,
  { commits: 3, characters: 1_500, rowBytes: 1_500 },
  { commits: 0, characters: 0, rowBytes: 0 },
];

const write = fc.record({
  resource: fc.constantFrom(...RESOURCES),
  name: fc.constantFrom(...NAMES),
  does: fc.constantFrom('put' as const, 'put' as const, 'delete' as const),
  /** Whether it expects what is there. */
  isStale: fc.boolean(),
  expires: fc.constantFrom(undefined, HOUR_MS),
  size: fc.constantFrom(10, 3_000),
  isSeenBefore: fc.boolean(),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('group' as const),
      writes: fc.array(write, { minLength: 1, maxLength: 4 }),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('hole' as const, 'tombstone' as const),
      resource: fc.constantFrom(...RESOURCES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'sweep' as const,
        'move' as const,
        'settle' as const,
        'reopen' as const,
        'kill' as const,
      ),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const keyOf = ({ resource, name }: Pick<Write, 'resource' | 'name'>): ObjectKey => ({
  resource,
  namespace: 'default',
  name,
});

/** JSON cannot express it: writing it throws, in the middle of a transaction. */
const UNWRITABLE = { impossible: 1n } as unknown as Commit['entry']['object'];

let folders = 0;
let ids = 0;

const startWorld = (memory: MemoryLimits | undefined) => {
  let now = T0;
  let folder = '';
  let state: SqliteState;
  const openFolder = (from?: string): void => {
    folders += 1;
    folder = join(root, String(folders));
    if (from !== undefined)
      cpSync(from, folder, { recursive: true, filter: (path) => !path.endsWith('lock') });
    state = openSqliteState({ folder, clock: { now: () => now }, ...(memory && { memory }) });
  };
  openFolder();
  /** The highest number that a reader has seen, by resource. */
  const seen = new Map<string, number>();
  const see = (resource: string, revision: number): void => {
    seen.set(resource, Math.max(revision, seen.get(resource) ?? 0));
  };
  const take = async (resource: string, count: number): Promise<number> => {
    const { highest: revision } = await state.objects.takeRevisions(resource, count, now);
    expect(revision - count).toBeGreaterThanOrEqual(seen.get(resource) ?? 0);
    return revision;
  };
  const commitOf = async (given: Write, id: string): Promise<Commit> => {
    const key = keyOf(given);
    const row = await state.objects.read(key);
    const expected = row?.state === 'live' ? row.revision : undefined;
    const isDeletion = given.does === 'delete' && expected !== undefined;
    const isSeenBefore = isDeletion && given.isSeenBefore;
    const commit = aCommit({
      key,
      uid: id,
      attempt: id,
      revision: await take(key.resource, isSeenBefore ? 2 : 1),
      ...(expected !== undefined && { expected: expected - (given.isStale ? 1 : 0) }),
      ...(isDeletion && { type: 'DELETED' as const }),
      isSeenBefore,
    });
    if (commit.next === 'marker') return commit;
    const object = { ...commit.next.object, data: { text: 'x'.repeat(given.size), none: undefined } };
    const expiry = given.expires === undefined ? {} : { expiresAt: now + given.expires };
    return {
      ...commit,
      next: { ...commit.next, object, ...expiry },
      entry: { ...commit.entry, object, ...expiry },
    };
  };
  const group = async ({ writes, fails }: Extract<Step, { kind: 'group' }>, id: string) => {
    const commits: Commit[] = [];
    for (const [place, one] of writes.entries()) commits.push(await commitOf(one, `${id}-${place}`));
    const [last] = commits.slice(-1);
    if (!fails || !last) return state.commitTogether(commits);
    const bad = { ...last, entry: { ...last.entry, object: UNWRITABLE } };
    try {
      return state.commitTogether([...commits.slice(0, -1), bad]);
    } catch (error) {
      // Not all that is refused gets so far.
      return (error as Error).name;
    }
  };
  const putTombstone = async (resource: string, id: string): Promise<unknown> => {
    const counter = await state.objects.counter(resource);
    return counter && (await state.objects.putTombstone(resource, aTombstone(counter.counter, id)));
  };
  const settle = async (): Promise<void> => {
    const position = await state.feed.position();
    await state.feed.acknowledge(position + 2);
    state.checkpoint();
  };
  const again = (isKilled: boolean): void => {
    const [before, at] = [state, folder];
    if (!isKilled) before.close();
    openFolder(at);
    before.close();
    removeFolder(at);
  };
  const withoutExpiry = (row: Row | undefined) => row && { ...row, expiresAt: undefined };
  return {
    does: async (given: Step, id: string): Promise<unknown> => {
      switch (given.kind) {
        case 'group':
          return group(given, id);
        case 'hole':
          return take(given.resource, 1);
        case 'tombstone':
          return putTombstone(given.resource, id);
        case 'sweep':
          now += 2 * HOUR_MS;
          return state.sweep(now);
        case 'move':
          now += HOUR_MS;
          return state.moveInstants(HOUR_MS);
        case 'settle':
          return settle();
        case 'reopen':
        case 'kill':
          return again(given.kind === 'kill');
      }
    },
    /** All that readers can see. */
    answers: async () => {
      const position = await state.feed.position();
      const changes = await state.feed.read(position, 5);
      const all = [];
      for (const resource of RESOURCES) {
        const counter = await state.objects.counter(resource);
        see(resource, counter?.counter ?? 0);
        const rows = await Promise.all(NAMES.map((name) => state.objects.read(keyOf({ resource, name }))));
        const pages = [];
        for (let after: string | undefined = ''; after !== undefined; ) {
          const page: Page = await state.objects.page({
            resource,
            namespace: '',
            after,
            limit: 2,
            counts: true,
          });
          pages.push(page);
          after = page.next;
        }
        const to = (counter?.counter ?? T0) + 3;
        const { slots, upTo } = await state.objects.slots(resource, T0, to);
        const late = await state.objects.slots(resource, to - 5, to);
        for (const revision of slots.keys()) see(resource, revision);
        all.push({ counter, rows, pages, slots: [...slots.values()], late: [...late.slots.values()], upTo });
      }
      const shown = changes.map(({ before, after, ...more }) => ({
        ...more,
        before: withoutExpiry(before),
        after: withoutExpiry(after),
      }));
      return JSON.stringify({ position, changes: shown, all });
    },
    end: (): void => {
      state.close();
      removeFolder(folder);
    },
  };
};

/** Two sweeps, after the hours for which slots are kept. */
const SLOTS_EXPIRE: Step[] = [
  {
    kind: 'group',
    writes: [
      {
        resource: 'configmaps',
        name: 'a',
        does: 'put',
        isStale: false,
        expires: undefined,
        size: 10,
        isSeenBefore: false,
      },
    ],
    fails: false,
  },
  { kind: 'sweep' },
  { kind: 'sweep' },
];

it('a state with little in memory, or nothing, answers the same as one with much', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const worlds = LIMITS.map(startWorld);
      try {
        for (const one of steps) {
          ids += 1;
          const results = [];
          for (const world of worlds)
            results.push(JSON.stringify([await world.does(one, `id${ids}`), await world.answers()]));
          expect(new Set(results)).toEqual(new Set(results.slice(0, 1)));
        }
      } finally {
        for (const world of worlds) world.end();
      }
    }),
    { numRuns: 60, examples: [[SLOTS_EXPIRE]] },
  );
});
