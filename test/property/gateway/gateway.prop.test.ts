import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { GATEWAY_LIMITS } from '../../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../../gateway/serve.ts';
import { createUpstream } from '../../../gateway/upstream/upstream.ts';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { createFastClock } from '../../support/clocks/fast-clock.ts';
import { type HttpApi, startHttpApi } from '../../support/servers/http-api.ts';
import { createReflector, type Server, type StartsBy } from '../../support/watches/reflector.ts';
import { direct } from '../../support/watches/watch-servers.ts';
import { checkWatcher, SELECTORS, truthOf, type Watcher } from '../../support/watches/watch-truth.ts';
import {
  apisOf,
  createWorld,
  RESOURCE,
  tokenAt,
  type World,
  writer,
} from '../../support/watches/watch-world.ts';

const PATH = '/api/v1/namespaces/default/events';
const WRITERS = 40;
const OUTAGES = 6;
/** Of a request, that its connection breaks before or within its answer. */
const DROPPED = 0.05;
const CUT = 0.1;
const LIMITS = { isBuffered: true, longestMs: 50_000 };
const STARTS: readonly StartsBy[] = ['list', 'pages', 'sendInitialEvents', 'version 0'];

/** The API behind a URL whose connections break now and then. */
const apiOf = (world: World): Promise<HttpApi> => {
  const [api] = apisOf(world, 1, LIMITS);
  const fates = world.chance.fork();
  return startHttpApi({
    serve: (request) => api?.serve(request) ?? Promise.reject(new Error('no API')),
    fate: () => {
      const at = fates.next();
      if (at < DROPPED) return 'dropped';
      return at < DROPPED + CUT ? 'cut' : 'sent';
    },
    cutAt: () => fates.next(),
  });
};

const gatewayTo = ({ url }: HttpApi, { clock, chance }: World) => {
  const lines: string[] = [];
  const hostLog = createHostLog({ format: 'text', clock, write: (line) => lines.push(line) });
  const upstream = createUpstream({ url, timeoutMs: 60_000, maxSockets: 64 });
  const deps = { upstream, hostLog, clock, random: () => chance.next(), limits: GATEWAY_LIMITS };
  return { serve: createGatewayServe(deps), lines, upstream };
};

const watchersOf = (world: World, server: Server): readonly Watcher[] =>
  STARTS.flatMap((startsBy) =>
    SELECTORS.map((selector) => {
      const own = world.chance.fork();
      const { clock } = world;
      const options = { server: () => server, path: PATH, selector: selector.query, startsBy, clock };
      return { reflector: createReflector({ ...options, random: () => own.next() }), selector };
    }),
  );

const outages = async (api: HttpApi, { clock, chance }: World): Promise<void> => {
  for (let count = 0; count < OUTAGES; count += 1) {
    await clock.sleep(chance.upTo(8_000));
    await api.goAway();
    await clock.sleep(chance.upTo(4_000));
    await api.comeBack();
  }
};

/** Writers, outages and watchers, until all is written and every watcher has seen everything. */
const live = async (world: World, api: HttpApi, server: Server) => {
  const watchers = watchersOf(world, server);
  const stopped = new AbortController();
  const watching = watchers.map(({ reflector }) => reflector.run(stopped.signal));
  await Promise.all([outages(api, world), ...Array.from({ length: WRITERS }, () => writer(world))]);
  await world.clock.sleep(10_000);
  const newest = (await world.state.objects.counter(RESOURCE))?.counter ?? 0;
  while (watchers.some(({ reflector }) => reflector.version() < newest)) await world.clock.sleep(500);
  stopped.abort();
  await Promise.all(watching);
  return watchers;
};

describe('watches through a gateway while the API is unreachable at times and connections break', () => {
  it('give every informer every change once and in order, from any version and with any selector', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createFastClock(40);
        const world = createWorld(seed, clock, createMemoryState());
        const api = await apiOf(world);
        const { serve, lines, upstream } = gatewayTo(api, world);
        const watchers = await live(world, api, direct({ serve }, await tokenAt(clock.now())));
        // With the last client the watches of the API end.
        await vi.waitUntil(() => [...api.watches.open.values()].every((open) => open === 0));
        upstream.close();
        await api.stop();
        const truth = await truthOf(world.state);
        expect(truth.length).toBeGreaterThan(WRITERS);
        for (const watcher of watchers) checkWatcher(truth, watcher);
        const away = lines.filter((line) => line.includes('cannot be reached'));
        expect(away.length).toBeLessThanOrEqual(OUTAGES);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});
