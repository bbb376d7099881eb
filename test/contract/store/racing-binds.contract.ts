// Twenty schedulers race for the room of three nodes, crash, are throttled, and lose answers whose writes come later: no node gets more pods
// than it has room for. With a virtual clock, `claims.prop.test.ts` does more of this in memory and in SQLite.

import { expect, it } from 'vitest';
import { createHostileCapacityStore } from '../../../shared/adapters/hostile/capacity-store.ts';
import { type Chance, createChance } from '../../../shared/adapters/hostile/chance.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
  type SharedHistory,
} from '../../../shared/adapters/hostile/object-store.ts';
import {
  createHostileProcess,
  type FaultRates,
  NO_FAULTS,
} from '../../../shared/adapters/hostile/process.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { claimOf } from '../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import { sumOfClaims } from '../../../shared/rules/scheduling/node-counters.ts';
import { bindWithin } from '../../../shared/store/claims/bind-within.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter, type ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../support/faults/chance-ids.ts';
import { ignoreFaults } from '../../support/faults/ignore-faults.ts';
import { aNode } from '../../support/objects/domain-objects.ts';
import { podKey } from '../../support/stores/builders.ts';
import type { CapacityStores } from './capacity.contract.ts';

const SCHEDULERS = 20;
/** Pods that each of them tries to bind. */
const TRIES = 2;
/** Each asks for a quarter of a node. */
const PODS = 16;
const ROOM_OF_A_NODE = 4;
const NODES: readonly Node[] = ['n1', 'n2', 'n3'].map((name) => ({
  ...aNode({ name }),
  status: { allocatable: { cpu: '4', pods: '110' } },
}));

const FAULTS: FaultRates = { ...NO_FAULTS, crash: 0.02, throttle: 0.02, busy: 0.1, unclear: 0.1 };

interface Race {
  readonly stores: CapacityStores & { readonly heartbeats: HeartbeatStore };
  readonly history: SharedHistory;
  readonly chance: Chance;
  /** Answers that were lost, whose writes may come yet. */
  readonly late: Set<Promise<unknown>>;
}

const nameOf = (index: number): string => `racer-${index}`;

const aPod = (index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: nameOf(index), uid: `uid-of-${nameOf(index)}` },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
  status: { phase: 'Pending' },
});

/** A writer in a process of its own. */
const writerOf = ({ stores, history, chance, late }: Race, rates: FaultRates): ObjectWriter => {
  const own = chance.fork();
  const sleep = (ms: number): Promise<void> => {
    const slept = systemClock.sleep(ms);
    late.add(slept);
    return slept.finally(() => late.delete(slept));
  };
  const process = createHostileProcess({ now: systemClock.now, sleep }, own, rates);
  const inner = {
    ...stores.objects,
    commit: (commit: Parameters<typeof stores.objects.commit>[0]) => {
      const sent = stores.objects.commit(commit);
      late.add(sent);
      return sent.finally(() => late.delete(sent));
    },
  };
  const objects = createHostileObjectStore(inner, history, process);
  const capacity = createHostileCapacityStore(stores.capacity, history, process);
  return createObjectWriter({
    objects,
    heartbeats: stores.heartbeats,
    clock: process.clock,
    ids: idsOf(own),
    capacityEffects: createCapacityEffects(capacity),
  });
};

const bind = (writer: ObjectWriter, pod: Pod, node: Node) => {
  const { namespace, name, uid = '' } = pod.metadata;
  return bindWithin(writer, { pod: podKey(name, namespace), uid, node });
};

const scheduler = async (race: Race): Promise<void> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const writer = writerOf(race, FAULTS);
    const node = NODES[Math.floor(race.chance.upTo(NODES.length))] ?? aNode();
    await bind(writer, aPod(Math.floor(race.chance.upTo(PODS))), node).catch(ignoreFaults);
  }
};

const begin = async (race: Race): Promise<void> => {
  const writer = writerOf(race, NO_FAULTS);
  const make = (key: ReturnType<typeof nodeKey>, next: Node | Pod) =>
    writer.write(key, () => ({ next, writer: 'client' }));
  for (const node of NODES) await make(nodeKey(node.metadata.name), node);
  for (let index = 0; index < PODS; index += 1) await make(podKey(nameOf(index), 'default'), aPod(index));
};

const landed = async ({ late }: Race): Promise<void> => {
  while (late.size > 0) await Promise.allSettled(late);
};

const boundTo = async ({ stores }: Race, node: string): Promise<readonly Pod[]> => {
  const { rows } = await stores.objects.page({ resource: 'pods', namespace: '' });
  return rows.map(({ object }) => object as Pod).filter(({ spec }) => spec.nodeName === node);
};

/** At most as many pods as there is room for, and claims and counters that say the same. */
const expectHeld = async (race: Race): Promise<number> => {
  let bound = 0;
  for (const { metadata } of NODES) {
    const pods = await boundTo(race, metadata.name);
    expect(pods.length).toBeLessThanOrEqual(ROOM_OF_A_NODE);
    const claims = await race.stores.capacity.allClaims(metadata.name);
    expect(claims.map(({ name }) => name).toSorted()).toEqual(
      pods.map((pod) => pod.metadata.name).toSorted(),
    );
    const stored = await race.stores.capacity.counters(metadata.name);
    const counted = new Map([...(stored?.counters ?? [])].filter(([, amount]) => amount !== 0));
    expect(counted).toEqual(sumOfClaims(pods.map((pod) => claimOf(pod, 0))));
    bound += pods.length;
  }
  return bound;
};

/** Binds pods one after the other, without faults, until no node has room. */
const fill = async (race: Race): Promise<void> => {
  const calm = writerOf(race, NO_FAULTS);
  const waiting = Array.from({ length: PODS }, (_, index) => aPod(index));
  for (const node of NODES)
    for (let pod = waiting.pop(); pod; pod = waiting.pop())
      if ((await bind(calm, pod, node)) === 'refused') {
        waiting.push(pod);
        break;
      }
};

/** Holds that schedulers that race never exceed what nodes have (J-01), on a store with real time. */
export const racingBindsContract = (name: string, create: () => Promise<Race['stores']>): void => {
  it(`${name}: schedulers that race for room, with faults, never exceed it, and claims and counters agree (J-01)`, async () => {
    const race: Race = {
      stores: await create(),
      history: createSharedHistory(),
      chance: createChance(2_026),
      late: new Set(),
    };
    await begin(race);
    await Promise.all(Array.from({ length: SCHEDULERS }, () => scheduler(race)));
    await landed(race);
    expect(await expectHeld(race)).toBeGreaterThan(0);

    await fill(race);
    expect(await expectHeld(race)).toBe(NODES.length * ROOM_OF_A_NODE);
  });
};
