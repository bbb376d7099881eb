/** Whatever is committed, routed, handled, stored and killed in whichever order: what follows from each change is handled in the end. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { openSqliteState, type SqliteState } from '../../../../../shared/adapters/sqlite/state.ts';
import { change, T0 } from '../../../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../../../support/stores/sqlite-folders.ts';

const QUEUE = 'garbage';
const FOLLOWING = 'owner';
const VISIBILITY_MS = 2_000;
const MANY_RECEIVES = 1_000;

const root = temporaryFolder();
afterAll(() => removeFolder(root));

const DOES = ['commit', 'route', 'receive', 'handle', 'fail', 'settle', 'kill', 'wait'] as const;
const step = fc.record({
  does: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...DOES) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('commit' as const, 'route' as const, 'receive' as const, 'handle' as const),
    },
  ),
  most: fc.integer({ min: 1, max: 4 }),
});

interface InHand {
  readonly queue: string;
  readonly name: string;
  readonly receipt: string;
}

let folders = 0;

/** A host's state and what works on it. Handling a message of `QUEUE` sends one to `FOLLOWING`. */
const startWorld = () => {
  let now = T0;
  let folder = '';
  let state: SqliteState;
  let inHand: InHand[] = [];
  let changes = 0;
  const handled = new Set<string>();
  const open = (from?: string): void => {
    folders += 1;
    folder = join(root, String(folders));
    if (from !== undefined)
      cpSync(from, folder, { recursive: true, filter: (path) => !path.endsWith('lock') });
    const options = { visibilityTimeoutMs: VISIBILITY_MS, maxReceiveCount: MANY_RECEIVES };
    state = openSqliteState({ folder, clock: { now: () => now }, ...options });
    state.release();
  };
  open();
  const route = async (most: number): Promise<number> => {
    const found = await state.feed.read(await state.feed.position(), most);
    const bodies = found.flatMap(({ after }) => (after ? [{ body: after.key.name }] : []));
    await state.queues.sendRouted(QUEUE, bodies);
    const last = found.at(-1)?.position;
    if (last !== undefined) await state.feed.acknowledge(last);
    return found.length;
  };
  const receive = async (queue: string, most: number): Promise<void> => {
    for (const { body, receipt } of await state.queues.receive(queue, most))
      inHand.push({ queue, name: JSON.parse(body) as string, receipt });
  };
  const handle = async (): Promise<void> => {
    const one = inHand.shift();
    if (!one) return;
    if (one.queue === QUEUE) await state.queues.send(FOLLOWING, [{ body: one.name }]);
    else handled.add(one.name);
    await state.queues.delete(one.queue, one.receipt);
  };
  const commit = async (): Promise<void> => {
    changes += 1;
    const key = { resource: 'configmaps', namespace: 'default', name: `c${changes}` };
    expect(await change(state.objects, { key })).toMatchObject({ outcome: { outcome: 'committed' } });
  };
  const kill = (): void => {
    const [killed, at] = [state, folder];
    open(at);
    killed.close();
    removeFolder(at);
    inHand = [];
  };
  const drain = async (): Promise<void> => {
    for (let idle = 0; idle < 3; idle += 1) {
      now += 2 * VISIBILITY_MS;
      state.checkpoint();
      while ((await route(10)) > 0) idle = 0;
      for (const queue of [QUEUE, FOLLOWING]) await receive(queue, MANY_RECEIVES);
      while (inHand.length > 0) await handle();
    }
  };
  return {
    /** What each step does, at most so many times. */
    does: {
      commit,
      kill,
      route,
      settle: () => state.checkpoint(),
      wait: () => {
        now += VISIBILITY_MS;
      },
      receive: async (most: number) => {
        for (const queue of [QUEUE, FOLLOWING]) await receive(queue, most);
      },
      handle: async (most: number) => {
        for (let left = most; left > 0; left -= 1) await handle();
      },
      fail: (most: number) => {
        inHand = inHand.slice(most);
      },
    } satisfies Record<(typeof DOES)[number], (most: number) => unknown>,
    missing: async (): Promise<readonly string[]> => {
      await drain();
      return Array.from({ length: changes }, (_, n) => `c${n + 1}`).filter((name) => !handled.has(name));
    },
    end: (): void => {
      state.close();
      removeFolder(folder);
    },
  };
};

it('what follows from each change is handled in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = startWorld();
      try {
        for (const { does, most } of steps) await world.does[does](most);
        expect(await world.missing()).toEqual([]);
      } finally {
        world.end();
      }
    }),
    { numRuns: 150 },
  );
});
