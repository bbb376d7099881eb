import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createFastClock } from '../../../support/clocks/fast-clock.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';
import type { Server, StartsBy } from '../../../support/watches/reflector.ts';
import { createReflector } from '../../../support/watches/reflector.ts';
import { direct, overHttps } from '../../../support/watches/watch-servers.ts';
import { checkWatcher, SELECTORS, truthOf, type Watcher } from '../../../support/watches/watch-truth.ts';
import {
  type ApiProcess,
  apisOf,
  createWorld,
  RESOURCE,
  tokenAt,
  type World,
  writer,
} from '../../../support/watches/watch-world.ts';

const PATH = '/api/v1/namespaces/default/events';
const WRITERS = 50;
const SERVERS = 3;

const STARTS: readonly StartsBy[] = ['list', 'pages', 'sendInitialEvents', 'version 0'];

const watchersOf = (world: World, servers: readonly Server[]): readonly Watcher[] =>
  STARTS.flatMap((startsBy) =>
    SELECTORS.map((selector) => {
      const own = world.chance.fork();
      const random = (): number => own.next();
      const server = (): Server => servers[Math.floor(own.upTo(servers.length))] as Server;
      const options = { server, path: PATH, selector: selector.query, startsBy, clock: world.clock, random };
      return { reflector: createReflector(options), selector };
    }),
  );

/** All writers and watchers, until the writers are done and every watcher has seen everything. */
const live = async (world: World, servers: readonly Server[]) => {
  const watchers = watchersOf(world, servers);
  const stopped = new AbortController();
  const watching = watchers.map(async ({ reflector }) => {
    await world.clock.sleep(world.chance.upTo(20_000));
    await reflector.run(stopped.signal);
  });
  await Promise.all(Array.from({ length: WRITERS }, () => writer(world)));
  // Commits whose answers were lost may still be on their way.
  await world.clock.sleep(10_000);
  const newest = (await world.state.objects.counter(RESOURCE))?.counter ?? 0;
  while (watchers.some(({ reflector }) => reflector.version() < newest)) await world.clock.sleep(500);
  stopped.abort();
  await Promise.all(watching);
  return watchers;
};

const check = async (world: World, watchers: readonly Watcher[], apis: readonly ApiProcess[]) => {
  const truth = await truthOf(world.state);
  expect(truth.length).toBeGreaterThan(WRITERS);
  for (const watcher of watchers) checkWatcher(truth, watcher);
  expect(apis.map(({ watches }) => watches.count())).toEqual(apis.map(() => 0));
};

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe('watches with faults', () => {
  it.each([
    ['memory', 12, () => createMemoryState()],
    ['SQLite', 2, sqlite.open],
  ] as const)(
    'send every informer every change once, in order, from any start and with any selector, in %s',
    async (_, numRuns, createState) => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const clock = createVirtualClock();
          const world = createWorld(seed, clock, createState(clock));
          const token = await tokenAt(clock.now());
          const apis = apisOf(world, SERVERS);
          const servers = apis.map((api) => direct(api, token));
          // Signatures are checked once, before the clock begins to jump.
          await Promise.all(servers.map((server) => server.list('/version')));
          await check(world, await clock.run(live(world, servers)), apis);
        }),
        { numRuns },
      );
    },
  );

  it('do so over real connections, too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createFastClock(40);
        const world = createWorld(seed, clock, createMemoryState());
        const token = await tokenAt(clock.now());
        const apis = apisOf(world, SERVERS);
        const listeners = await Promise.all(apis.map((api) => overHttps(api, token)));
        const watchers = await live(
          world,
          listeners.map(({ server }) => server),
        );
        await Promise.all(listeners.map(({ stop }) => stop()));
        // A watch whose client has gone ends after the call that it is in, which may stall twice.
        await clock.sleep(2 * BAD_DAY.stallMs);
        await check(world, watchers, apis);
      }),
      { numRuns: 1 },
    );
  });
});
