import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import type { SharedHistory } from '../../../../shared/adapters/hostile/object-store.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
} from '../../../../shared/adapters/hostile/object-store.ts';
import type { FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import {
  BAD_DAY,
  Crash,
  createHostileProcess,
  NO_FAULTS,
} from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryKeyUses } from '../../../../shared/adapters/memory/key-uses.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Call } from '../../../../shared/apiserver/contract/call.ts';
import type { ApiServerDeps } from '../../../../shared/apiserver/contract/deps.ts';
import { API_SERVER_DEFAULTS } from '../../../../shared/apiserver/contract/deps.ts';
import { createEviction } from '../../../../shared/apiserver/evictions/eviction.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../../../shared/apiserver/feed/watches.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { GROUP_MASTERS } from '../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import type { LogEntry } from '../../../../shared/ports/store/change-log.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { entriesOf } from '../../../support/stores/log-entries.ts';

const NAMESPACE = 'default';
const LABELS = { app: 'a' };

interface World {
  readonly clock: VirtualClock;
  readonly state: ReturnType<typeof createMemoryState>;
  readonly history: SharedHistory;
  readonly chance: Chance;
}

const createWorld = (seed: number): World => ({
  clock: createVirtualClock(),
  state: createMemoryState(),
  history: createSharedHistory(),
  chance: createChance(seed),
});

const unused = async (): Promise<never> => {
  throw new Error('no token is made or read here');
};

const processOf = ({ clock, state, history, chance }: World, rates: FaultRates): ApiServerDeps => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = createHostileObjectStore(state.objects, history, process);
  const deps = { ...state, objects, ids: idsOf(own), clock: process.clock };
  const lister = createLister(deps);
  const limits = HOST_WATCH_LIMITS;
  return {
    ...deps,
    watches: createWatches({ ...deps, lister, limits, onError: () => undefined }),
    signingKeys: { current: unused, find: unused },
    keyUses: createMemoryKeyUses(),
    config: { ...API_SERVER_DEFAULTS, clusterId: 'test' },
    logger: { requestFailed: () => undefined },
    writer: createObjectWriter(deps),
    lister,
  };
};

const podOf = (name: string, now: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: NAMESPACE,
    uid: name,
    labels: LABELS,
    creationTimestamp: toTime(now),
    generation: 1,
  },
  spec: { nodeName: 'n1', terminationGracePeriodSeconds: 30 },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

const budgetOf = (minAvailable: number): ApiObject & object =>
  ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: NAMESPACE, uid: 'b', generation: 1 },
    spec: { minAvailable, selector: { matchLabels: LABELS } },
  }) as ApiObject;

const keyOf = (resource: string, name: string) => ({ resource, namespace: NAMESPACE, name });

const fill = async (world: World, names: readonly string[], minAvailable: number): Promise<void> => {
  const { writer, clock } = processOf(world, NO_FAULTS);
  await writer.write(keyOf('poddisruptionbudgets', 'b'), () => ({
    next: budgetOf(minAvailable),
    writer: 'client',
  }));
  for (const name of names)
    await writer.write(keyOf('pods', name), () => ({ next: podOf(name, clock.now()), writer: 'client' }));
};

const evictionOf = (name: string): Call => ({
  request: {
    method: 'POST',
    path: `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`,
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ metadata: { name } })),
  },
  info: {
    kind: 'resource',
    verb: 'create',
    group: '',
    version: 'v1',
    namespace: NAMESPACE,
    resource: 'pods',
    name,
    subresource: 'eviction',
  },
  user: { name: 'drain', groups: [GROUP_MASTERS] },
});

type Outcome = 'evicted' | 'refused' | 'unknown';

const outcomeOf = (error: unknown): Outcome => {
  if (error instanceof Crash) return 'unknown';
  if (!(error instanceof StatusError)) throw error;
  return error.details?.causes?.[0]?.reason === 'DisruptionBudget' ? 'refused' : 'unknown';
};

/** Asks until it is told; what it was told last. */
const evict = async (world: World, name: string, rates: FaultRates): Promise<Outcome> => {
  await world.clock.sleep(world.chance.upTo(3_000));
  for (;;) {
    const outcome = await createEviction(evictionOf(name), processOf(world, rates)).then(
      (): Outcome => 'evicted',
      outcomeOf,
    );
    if (outcome !== 'unknown') return outcome;
    await world.clock.sleep(world.chance.upTo(1_000));
  }
};

/** The kubelet: a pod that has been let go is gone a little later. */
const stop = async (world: World, name: string): Promise<void> => {
  await world.clock.sleep(world.chance.upTo(2_000));
  await processOf(world, NO_FAULTS).writer.write(keyOf('pods', name), () => ({
    next: 'delete',
    writer: 'client',
  }));
};

const evictAndStop = async (world: World, name: string, rates: FaultRates): Promise<Outcome> => {
  const outcome = await evict(world, name, rates);
  if (outcome === 'evicted') await stop(world, name);
  return outcome;
};

const podHistory = ({ state }: World): Promise<readonly LogEntry[]> => entriesOf(state.objects, 'pods');

/** The fewest pods that were up at any time once all were there. */
const fewestUp = (entries: readonly LogEntry[], count: number): number => {
  const up = new Set<string>();
  let fewest = count;
  for (const { type, key, object } of entries) {
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) up.delete(key.name);
    else up.add(key.name);
    if (type !== 'ADDED') fewest = Math.min(fewest, up.size);
  }
  return fewest;
};

const drain = async (seed: number, count: number, minAvailable: number, rates: FaultRates) => {
  const world = createWorld(seed);
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  await world.clock.run(fill(world, names, minAvailable));
  const work = Promise.all(names.map((name) => evictAndStop(world, name, rates)));
  const outcomes = await world.clock.run(work);
  return { outcomes, fewest: fewestUp(await podHistory(world), count) };
};

/** A process whose first look at the pods is old when it arrives: `meanwhile` has happened since. */
const lateReader = (deps: ApiServerDeps, meanwhile: () => Promise<unknown>): ApiServerDeps => {
  let isLate = true;
  const list: ApiServerDeps['lister']['list'] = async (request) => {
    const result = await deps.lister.list(request);
    if (request.resource === 'pods' && isLate) {
      isLate = false;
      await meanwhile();
    }
    return result;
  };
  return { ...deps, lister: { list } };
};

describe('parallel evictions under one budget', () => {
  it('evict one of the last two pods and refuse the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const { outcomes, fewest } = await drain(seed, 2, 1, NO_FAULTS);
        expect(outcomes.toSorted()).toEqual(['evicted', 'refused']);
        expect(fewest).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  it('never leave fewer pods than the budget wants, with faults (I-15)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 0, max: 8 }), async (seed, minAvailable) => {
        const { outcomes, fewest } = await drain(seed, 8, minAvailable, BAD_DAY);
        expect(fewest).toBeGreaterThanOrEqual(minAvailable);
        expect(outcomes.filter((outcome) => outcome === 'evicted').length).toBeLessThanOrEqual(
          8 - minAvailable,
        );
      }),
      { numRuns: 60 },
    );
  });

  // The second of the others sees the first one's pod go, so it drops that grant: the budget alone no longer tells of it.
  it('do not use pods that were read before the last write of the budget', async () => {
    const world = createWorld(1);
    await world.clock.run(fill(world, ['a', 'b', 'c', 'd'], 2));
    const others = async () => {
      for (const name of ['a', 'b']) await createEviction(evictionOf(name), processOf(world, NO_FAULTS));
    };
    const late = lateReader(processOf(world, NO_FAULTS), others);
    const outcome = createEviction(evictionOf('c'), late).then((): Outcome => 'evicted', outcomeOf);
    expect(await world.clock.run(outcome)).toBe('refused');
    expect(fewestUp(await podHistory(world), 4)).toBe(2);
  });
});
