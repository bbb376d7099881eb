/** One zone under virtual time: its nodes, the monitor's stores, and workers whose calls take time. */
import type { NodeEvictionDeps } from '../../../lambdas/node-eviction/reconcile.ts';
import { reconcile } from '../../../lambdas/node-eviction/reconcile.ts';
import { NODE_MONITOR_DEFAULTS, type NodeMonitorDeps } from '../../../lambdas/node-monitor/reconcile.ts';
import { type Chance, createChance } from '../../../shared/adapters/hostile/chance.ts';
import { createMemoryEventBus } from '../../../shared/adapters/memory/event-bus.ts';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { createVirtualClock, type VirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { EvictionWakeup } from '../../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { withHolds } from '../../../shared/store/writer/destruction.ts';
import { createKnownHolds } from '../../../shared/store/writer/known-holds.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';

export const WORKERS = 8;
export const MOST_LATE_MS = 1_700;
/** A call of the database takes up to this long, and half of it on average. */
export const MOST_CALL_MS = 20;
const SEED = 42;

export interface PacedZone {
  readonly clock: VirtualClock;
  readonly monitor: NodeMonitorDeps & { readonly heartbeats: HeartbeatStore };
  /** Instants at which a token was taken, by the limiter. */
  readonly grants: EpochMs[];
  /** Instants at which a taint was there. */
  readonly taints: EpochMs[];
  /** Wake-ups that were delivered. */
  readonly delivered: { count: number };
}

type Call = (...given: never[]) => unknown;

/** The same port, each call of which takes its time. */
const slow = <Port extends object>(port: Port, clock: Clock, chance: Chance): Port =>
  new Proxy(port, {
    get: (target, name, receiver) => {
      const call = Reflect.get(target, name, receiver) as Call;
      return async (...given: never[]) => {
        await clock.sleep(chance.upTo(MOST_CALL_MS));
        return call(...given);
      };
    },
  });

type Deliver = (wakeUp: EvictionWakeup) => Promise<void>;

/** Each worker gets each message by itself, late; whoever sends does not wait for it. */
const lateQueues = (clock: Clock, chance: Chance, deliver: Deliver): WorkQueues => {
  const deliverLate = async (body: unknown, delayMs: number): Promise<void> => {
    await clock.sleep(delayMs);
    await deliver(body as EvictionWakeup);
  };
  return {
    send: async (queue, messages) => {
      if (queue !== 'eviction-wakeups') return;
      for (const { body, delaySeconds = 0 } of messages)
        for (let worker = 0; worker < WORKERS; worker += 1)
          void deliverLate(body, delaySeconds * 1000 + chance.upTo(MOST_LATE_MS));
    },
  };
};

/** A swap of a limiter that is open is a grant; one that is closed is only moved on, to when the taint stood. */
const countingGrants = (control: ControlStore, grants: EpochMs[]): ControlStore => ({
  ...control,
  swapLimiter: async (id, read, next) => {
    const takenAt = next.nextAt - 1000 / next.rate;
    const isSwapped = await control.swapLimiter(id, read, next);
    if (isSwapped && takenAt >= read.nextAt) grants.push(takenAt);
    return isSwapped;
  },
});

const workerDeps = (
  {
    objects,
    heartbeats,
    control,
  }: { objects: ObjectStore; heartbeats: HeartbeatStore; control: ControlStore },
  clock: Clock,
  chance: Chance,
  queues: WorkQueues,
): NodeEvictionDeps => {
  const slowLog = slow(objects, clock, chance);
  const holds = createKnownHolds({ control, clock });
  const writer = withHolds(
    createObjectWriter({ objects: slowLog, heartbeats, clock, ids: systemIds }),
    holds,
  );
  return { clock, objects: slowLog, control: slow(control, clock, chance), queues, writer, holds };
};

/** A zone without nodes. */
export const createPacedZone = (): PacedZone => {
  const chance = createChance(SEED);
  const clock = createVirtualClock();
  const state = createMemoryState();
  const grants: EpochMs[] = [];
  const taints: EpochMs[] = [];
  const delivered = { count: 0 };
  const control = countingGrants(state.control, grants);
  const deliver: Deliver = async (wakeUp) => {
    delivered.count += 1;
    const { outcome } = await reconcile(worker, wakeUp);
    if (outcome === 'tainted') taints.push(clock.now());
  };
  const queues = lateQueues(clock, chance, deliver);
  const worker = workerDeps({ ...state, control }, clock, chance, queues);
  const writer = createObjectWriter({ ...state, clock, ids: systemIds });
  const recorder = createEventRecorder({ writer, ids: systemIds });
  const [config, bus] = [NODE_MONITOR_DEFAULTS, createMemoryEventBus()];
  const monitor = { ...state, control, clock, ids: systemIds, writer, recorder, queues, bus, config };
  return { clock, monitor, grants, taints, delivered };
};
