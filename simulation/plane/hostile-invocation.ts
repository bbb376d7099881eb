import { createHostileAddressStore } from '../../shared/adapters/hostile/address-store.ts';
import { createHostileCapacityStore } from '../../shared/adapters/hostile/capacity-store.ts';
import { createHostileCapacitySweepStore } from '../../shared/adapters/hostile/capacity-sweep.ts';
import { createChance } from '../../shared/adapters/hostile/chance.ts';
import { createHostileControlStore } from '../../shared/adapters/hostile/control-store.ts';
import { createHostileHeartbeatStore } from '../../shared/adapters/hostile/heartbeat-store.ts';
import type { History } from '../../shared/adapters/hostile/history.ts';
import { createHistory } from '../../shared/adapters/hostile/history.ts';
import { createHostileObjectStore, createSharedHistory } from '../../shared/adapters/hostile/object-store.ts';
import { createHostileOwnerEdgeStore } from '../../shared/adapters/hostile/owner-edges.ts';
import { createHostileOwnerTurnStore } from '../../shared/adapters/hostile/owner-turn-store.ts';
import type { FaultRates } from '../../shared/adapters/hostile/process.ts';
import { createHostileProcess } from '../../shared/adapters/hostile/process.ts';
import { createHostileWorkQueues } from '../../shared/adapters/hostile/work-queues.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { HeartbeatItem } from '../../shared/ports/store/heartbeats.ts';
import type { Invocation } from './control-plane-types.ts';

/** Makes invocations that fail at random. */
export interface HostileInvocations {
  readonly chance: ReturnType<typeof createChance>;
  /** Earlier versions of heartbeat items. A sender that records them here makes scans lag behind its heartbeats. */
  readonly items: History<HeartbeatItem>;
  /** Wraps the ports of an invocation as those of a process that can fail on its own. */
  readonly invocation: (ports: Invocation) => Invocation;
}

/**
 * Makes every invocation a process with faults. `rates` is called at the start of each; the rates may change while it runs.
 */
export const createHostileInvocations = (
  seed: number,
  clock: Clock,
  rates: () => FaultRates,
): HostileInvocations => {
  const chance = createChance(seed);
  const history = createSharedHistory();
  const items = createHistory<HeartbeatItem>();
  const invocation = (ports: Invocation): Invocation => {
    const own = chance.fork();
    const process = createHostileProcess(clock, own, rates());
    return {
      ...ports,
      clock: process.clock,
      objects: createHostileObjectStore(ports.objects, history, process),
      heartbeats: createHostileHeartbeatStore(ports.heartbeats, items, process),
      ownerEdges: createHostileOwnerEdgeStore(ports.ownerEdges, history, process),
      ownerTurns: createHostileOwnerTurnStore(ports.ownerTurns, process),
      control: createHostileControlStore(ports.control, process),
      addresses: createHostileAddressStore(ports.addresses, history, process),
      capacity: createHostileCapacityStore(ports.capacity, history, process),
      capacitySweep: createHostileCapacitySweepStore(ports.capacitySweep, history, process),
      queues: createHostileWorkQueues(ports.queues, process),
      ids: { ...ports.ids, random: () => own.next() },
    };
  };
  return { chance, items, invocation };
};
