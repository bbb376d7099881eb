/** Writers on a bad day and the API servers beside them, over one store. */

import { expect } from 'vitest';
import type { Chance } from '../../../shared/adapters/hostile/chance.ts';
import { createChance } from '../../../shared/adapters/hostile/chance.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
} from '../../../shared/adapters/hostile/object-store.ts';
import type { FaultRates } from '../../../shared/adapters/hostile/process.ts';
import { BAD_DAY, Crash, createHostileProcess } from '../../../shared/adapters/hostile/process.ts';
import { createMemoryKeyUses } from '../../../shared/adapters/memory/key-uses.ts';
import type { MemoryState } from '../../../shared/adapters/memory/state.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { createApiServer } from '../../../shared/apiserver/api-server.ts';
import { API_SERVER_DEFAULTS } from '../../../shared/apiserver/contract/deps.ts';
import type { Watches, WatchLimits } from '../../../shared/apiserver/feed/watches.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../../shared/apiserver/feed/watches.ts';
import type { Serve } from '../../../shared/apiserver/serve.ts';
import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { GROUP_MASTERS } from '../../../shared/kube/types/well-known.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../faults/chance-ids.ts';

export const RESOURCE = 'events';
const OPERATIONS = 4;
const NAMES = ['a', 'b', 'c', 'd', 'e'];

export type Stores = Pick<MemoryState, 'objects' | 'heartbeats' | 'control' | 'capacity'>;

export interface World {
  readonly clock: Clock;
  readonly state: Stores;
  readonly history: ReturnType<typeof createSharedHistory>;
  readonly chance: Chance;
}

const processOf = ({ clock, state, history, chance }: World, rates: FaultRates) => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = createHostileObjectStore(state.objects, history, process);
  return { ...state, objects, clock: process.clock, ids: idsOf(own), chance: own };
};

type Process = ReturnType<typeof processOf>;

const eventObject = (name: string, uid: string, tier: string, note: string): ApiObject =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name, uid, labels: { tier } },
    involvedObject: {},
    message: note,
  }) as ApiObject;

const operate = async ({ chance, ...deps }: Process): Promise<void> => {
  const name = NAMES[Math.floor(chance.upTo(NAMES.length))] ?? 'a';
  const note = deps.ids.uuid();
  const tier = chance.hit(0.5) ? 'web' : 'db';
  await createObjectWriter(deps).write({ resource: RESOURCE, namespace: 'default', name }, (row) => {
    if (row?.state === 'live' && chance.hit(0.3)) return { next: 'delete', writer: 'client' };
    const uid = row?.state === 'live' ? row.uid : note;
    return { next: eventObject(name, uid, tier, note), writer: 'client' };
  });
};

/** Writes until it is done, dies now and then, and begins again. */
export const writer = async (world: World): Promise<void> => {
  await world.clock.sleep(world.chance.upTo(20_000));
  let process = processOf(world, BAD_DAY);
  for (let done = 0; done < OPERATIONS; done += 1) {
    await operate(process).catch((error: unknown) => {
      if (!(error instanceof Crash || error instanceof StatusError)) throw error;
      if (error instanceof Crash) process = processOf(world, BAD_DAY);
    });
    await world.clock.sleep(process.chance.upTo(300));
  }
};

const KEY = { kid: 'k1', secret: new Uint8Array(32).fill(1) };
const signingKeys = { current: async () => KEY, find: async () => KEY.secret };

export interface ApiProcess {
  readonly serve: Serve;
  readonly watches: Watches;
}

/** An API server that stalls and is throttled, and sees halves of transactions. */
const apiProcess = (world: World, limits: WatchLimits): ApiProcess => {
  const process = processOf(world, { ...BAD_DAY, crash: 0, halfVisible: 0.5 });
  const lister = createLister(process);
  const watches = createWatches({ ...process, lister, limits, onError: () => undefined });
  const serve = createApiServer({
    ...process,
    keyUses: createMemoryKeyUses(),
    signingKeys,
    lister,
    watches,
    writer: createObjectWriter(process),
    config: { ...API_SERVER_DEFAULTS, clusterId: 'test' },
    logger: { requestFailed: ({ error }) => expect(error).toBeInstanceOf(StatusError) },
  });
  return { serve, watches };
};

export const createWorld = (seed: number, { now, sleep }: Clock, state: Stores): World => ({
  // Sleeps of any length end at whole milliseconds, as they do on a machine.
  clock: { now: () => Math.floor(now()), sleep },
  state,
  history: createSharedHistory(),
  chance: createChance(seed),
});

export const tokenAt = (now: number): Promise<string> =>
  issueToken(
    { signingKeys, clusterId: 'test' },
    { name: 'admin', groups: [GROUP_MASTERS], issuedAt: now, expiresAt: now + 86_400_000 },
  );

export const apisOf = (
  world: World,
  count: number,
  limits: WatchLimits = HOST_WATCH_LIMITS,
): readonly ApiProcess[] => Array.from({ length: count }, () => apiProcess(world, limits));
