// Nodes that come and go while processes crash, answers and messages are lost, and reads lag: who holds which addresses.
import type { NodeIpamMessage } from '../../../../lambdas/node-ipam/message.ts';
import { reconcile } from '../../../../lambdas/node-ipam/reconcile.ts';
import { routing } from '../../../../lambdas/node-ipam/routing.ts';
import { sweep } from '../../../../lambdas/node-ipam/sweep.ts';
import { createHostileAddressStore } from '../../../../shared/adapters/hostile/address-store.ts';
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
  TimedOut,
} from '../../../../shared/adapters/hostile/process.ts';
import type { VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { Row } from '../../../../shared/ports/store/rows.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { createAddressEffects } from '../../../../shared/store/writer/address-effects.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { type AddressStores, CONFIG, createReferee, faultsAtQuiet, RANGES } from './address-referee.ts';

const NAMES = 90;
const ACTORS = 12;
const WORKERS = 12;
/** The share of messages that are lost; the sweep makes up for them. */
const LOST = 0.2;

/** What a day met, and what was wrong. */
export interface AddressDay {
  /** Writes of clients, messages and sweeps. */
  readonly operations: number;
  readonly allocations: number;
  /** Nodes that went although they had podCIDRs. */
  readonly releases: number;
  readonly crashes: number;
  readonly exhausted: number;
  readonly faults: readonly string[];
}

interface World {
  readonly clock: VirtualClock;
  readonly state: AddressStores;
  readonly history: SharedHistory;
  readonly chance: Chance;
  readonly count: { operations: number; crashes: number; exhausted: number };
  /** Messages that were sent, and not yet delivered. */
  readonly sent: NodeIpamMessage[];
}

const processOf = (world: World, rates: FaultRates) => {
  const { clock, state, history, chance, sent } = world;
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = createHostileObjectStore(state.objects, history, process);
  const addresses = createHostileAddressStore(state.addresses, history, process);
  const ids = idsOf(own);
  const deps = { objects, addresses, clock: process.clock, ids, heartbeats: state.heartbeats };
  const send = async (_: string, messages: readonly { readonly body: unknown }[]): Promise<void> => {
    sent.push(...messages.map(({ body }) => body as NodeIpamMessage));
  };
  return {
    ...deps,
    chance: own,
    nodeIpam: CONFIG,
    queues: { send },
    recorder: { record: async () => {} },
    /** As the API writes. */
    api: createObjectWriter({ ...deps, addressEffects: createAddressEffects(RANGES) }),
    writer: createObjectWriter(deps),
  };
};

type Process = ReturnType<typeof processOf>;

const ignoreFaults = (world: World, error: unknown): void => {
  if (error instanceof Crash) world.count.crashes += 1;
  else if (!(error instanceof StatusError || error instanceof TimedOut)) throw error;
};

const upTo = (chance: Chance, most: number): number => Math.floor(chance.upTo(most));

/** A podCIDR of a client: a block, a part of one, several, one that is taken perhaps, or one from elsewhere. */
const someCidrs = (chance: Chance): readonly string[] => {
  const block = upTo(chance, 32);
  const four = [
    `10.244.${block}.0/24`,
    `10.244.${block}.128/25`,
    `10.244.${block & ~1}.0/23`,
    `10.99.0.0/24`,
  ][upTo(chance, 4)];
  const six = `fd00:10:244:${upTo(chance, 32).toString(16)}::/64`;
  return [...(four === undefined ? [] : [four]), ...(chance.hit(0.6) ? [six] : [])];
};

const newNode = ({ chance, ids }: Process, name: string): Node => {
  const podCIDRs = chance.hit(0.12) ? someCidrs(chance) : [];
  const [podCIDR] = podCIDRs;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: ids.uuid(),
      ...(podCIDR === undefined ? {} : { annotations: { brought: 'true' } }),
    },
    spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs },
  };
};

/** Deletes a Node that is there, or touches it; makes one that is not. */
const changeNode = async (process: Process): Promise<void> => {
  const { api, chance } = process;
  const name = `n${upTo(chance, NAMES)}`;
  const deletes = chance.hit(0.7);
  await api.write(nodeKey(name), (row) => {
    const node: Node | undefined = liveRow(row)?.object;
    if (!node) return { next: newNode(process, name), writer: 'client' };
    if (deletes) return { next: 'delete', writer: 'client' };
    const labels = { n: String(chance.next()) };
    return { next: { ...node, metadata: { ...node.metadata, labels } }, writer: 'client' };
  });
};

/** Handles a message; one that fails is delivered again. */
const deliver = async (world: World, message: NodeIpamMessage, rates: FaultRates): Promise<void> => {
  world.count.operations += 1;
  const process = processOf(world, rates);
  try {
    const { allocations } = await reconcile(process, message);
    if (allocations.some(({ outcome }) => outcome === 'exhausted')) world.count.exhausted += 1;
  } catch (error) {
    ignoreFaults(world, error);
    world.sent.push(message);
  }
};

/** Delivers messages late, in any order, some twice and some never, until `isOver`. */
const work = async (world: World, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    const [message] = world.sent.splice(upTo(world.chance, world.sent.length), 1);
    if (message && world.chance.hit(0.2)) world.sent.push(message);
    if (message && !world.chance.hit(LOST)) await deliver(world, message, BAD_DAY);
    await world.clock.sleep(world.chance.upTo(40));
  }
};

const actor = async (world: World, operations: number): Promise<void> => {
  for (let done = 0; done < operations; done += 1) {
    world.count.operations += 1;
    const process = processOf(world, BAD_DAY);
    const act = world.chance.hit(0.02) ? sweep(process) : changeNode(process);
    await Promise.resolve(act).catch((error: unknown) => ignoreFaults(world, error));
    await world.clock.sleep(world.chance.upTo(400));
  }
};

const quieten = async (world: World): Promise<void> => {
  // Lost answers may still be carried out, and reads may lag for nine seconds.
  await world.clock.sleep(20_000);
  world.sent.length = 0;
  for (let round = 0; round < 3; round += 1) {
    await sweep(processOf(world, NO_FAULTS));
    while (world.sent.length > 0)
      for (const message of world.sent.splice(0)) await deliver(world, message, NO_FAULTS);
  }
};

const live = async (world: World, operations: number): Promise<void> => {
  let isOver = false;
  const workers = Array.from({ length: WORKERS }, () => work(world, () => isOver));
  await Promise.all(Array.from({ length: ACTORS }, () => actor(world, Math.ceil(operations / ACTORS))));
  isOver = true;
  await Promise.all(workers);
  await quieten(world);
};

interface Listened extends AddressStores {
  listen?(onChange: (before: Row | undefined, after: Row) => void): void;
}

/** Lives through so many operations. The referee and the messages need a state that tells its changes. */
export const addressDay = async (
  seed: number,
  state: Listened,
  clock: VirtualClock,
  operations: number,
): Promise<AddressDay> => {
  const referee = createReferee();
  const count = { operations: 0, crashes: 0, exhausted: 0 };
  const world: World = {
    clock,
    state,
    count,
    sent: [],
    history: createSharedHistory(),
    chance: createChance(seed),
  };
  state.listen?.((before, after) => {
    if (after.key.resource !== 'nodes') return;
    referee.see(before, after);
    const { key, uid, revision } = after;
    const step = { key, uid, revision, before: liveRow(before), after: liveRow(after) };
    if (step.before ?? step.after) world.sent.push(...routing.route(step).map(({ body }) => body));
  });
  await clock.run(live(world, operations));
  return {
    ...count,
    allocations: referee.allocations(),
    releases: referee.releases(),
    faults: [...referee.faults, ...(await faultsAtQuiet(state))],
  };
};
