/** The ports that reconciles get on the host. */
import type { ControllerConfig } from '../../lambdas/contract/controller.ts';
import { NODE_MONITOR_DEFAULTS, type NodeMonitorConfig } from '../../lambdas/node-monitor/reconcile.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Fencing } from '../../shared/ports/outside/fencing.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { QueueConsumer, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { AddressStore } from '../../shared/ports/store/addresses.ts';
import type { CapacityStore } from '../../shared/ports/store/capacity.ts';
import type { CapacitySweepStore } from '../../shared/ports/store/capacity-sweep.ts';
import type { ChangeFeed } from '../../shared/ports/store/change-feed.ts';
import type { Commit } from '../../shared/ports/store/commit.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../shared/ports/store/owner-edges.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import { isTaintedByHealth } from '../../shared/rules/zones/health-taints.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import type { Doorbell } from '../../shared/serving/machine/doorbell.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { NodeIpamConfig } from '../../shared/settings/node-ipam.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { type DestroyingWriter, withHolds } from '../../shared/store/writer/destruction.ts';
import { createKnownHolds, type KnownHolds } from '../../shared/store/writer/known-holds.ts';
import { createObjectWriter, type ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { Presence } from '../beats/presence.ts';
import type { HostTracing } from '../figures/tracing.ts';
import { MOST_TOGETHER } from '../folder/group-commit.ts';
import { restingStore } from '../folder/resting-store.ts';

/** The queues of a host. */
export interface HostQueues extends WorkQueues, QueueConsumer {
  nextAt(): number | undefined;
  /** Sends what follows from changes of the feed: it may be lost with the process, and is then routed again. */
  readonly sendRouted: WorkQueues['send'];
}

export interface ControlPlaneDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  /** The same objects for the node monitor, which must not wait behind other controllers. */
  readonly monitorObjects: ObjectStore;
  /** Pauses of its own: a pass must not wait behind other controllers, either. */
  readonly monitorPause: () => Promise<void>;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  readonly ownerEdges: OwnerEdgeStore;
  readonly addresses: AddressStore;
  readonly ownerTurns: OwnerTurnStore;
  readonly capacity: CapacityStore;
  readonly capacitySweep: CapacitySweepStore;
  readonly queues: HostQueues;
  readonly feed: ChangeFeed;
  readonly bus: EventBus;
  readonly presence: Presence;
  readonly metrics: MetricsRegistry;
  readonly hostLog: HostLog;
  readonly config: ControllerConfig;
  readonly nodeIpam: NodeIpamConfig | undefined;
  readonly schedulerName: string;
  /** Whether conditions of Nodes become taints. */
  readonly derivesNodeFields: boolean;
  /** Absent: nobody is asked about machines. */
  readonly cloud?: CloudProvider;
  /** Absent: nobody can switch machines off. */
  readonly fencing?: Fencing;
  /** Rings after each commit. */
  readonly changes: Doorbell;
  readonly pause: () => Promise<void>;
  /** Absent: there are no traces. */
  readonly tracing?: HostTracing | undefined;
}

/**
 * How the node monitor writes the nodes of a large outage: as many at a time as a group of commits has, and for as long as its lease allows.
 * A function has less time; a host would only wait for the next pass with nodes that it knows to be silent.
 */
const IN_OUTAGES = { writeConcurrency: MOST_TOGETHER, writeBudgetMs: 8_000 };

/** All ports; each reconcile takes those that it needs. */
export interface Invocation extends ControlPlaneDeps {
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
  /** For one pass of the node monitor: it refuses to mark nodes as silent once `isStale`. */
  readonly passWriter: (isStale: () => boolean) => ObjectWriter;
  /** For node-eviction: refuses every commit until `presence.quietUntil()`. */
  readonly taintWriter: DestroyingWriter;
  readonly recorder: EventRecorder;
  readonly podsAtOnce: number;
  readonly config: NodeMonitorConfig & ControllerConfig;
}

/** Whether a commit marks a node as silent: it holds only if no heartbeat has arrived since. */
const isFlip = ({ heartbeat }: Commit): boolean => heartbeat?.effect === 'unmoved';

const isDeletionByHealth = ({ check }: Commit): boolean =>
  check !== undefined && isTaintedByHealth(check.noExecute);

/** Writers that refuse commits which must wait after an absence of the host. The check is made at the commit itself. */
const createWriters = (
  deps: ControlPlaneDeps,
): Pick<Invocation, 'writer' | 'passWriter' | 'taintWriter' | 'holds'> => {
  const { clock, presence } = deps;
  const holds = createKnownHolds(deps);
  const isAhead = (instant: EpochMs): boolean => instant > clock.now();
  const rests = (commit: Commit): boolean =>
    isDeletionByHealth(commit) && isAhead(presence.deletionsRestUntil());
  const isQuiet = (): boolean => isAhead(presence.quietUntil());
  const capacityEffects = createCapacityEffects(deps.capacity);
  const writerOn = (objects: ObjectStore): DestroyingWriter =>
    withHolds(createObjectWriter({ ...deps, objects, capacityEffects }), holds);
  return {
    holds,
    writer: writerOn(restingStore(deps.objects, rests)),
    passWriter: (isStale) =>
      writerOn(restingStore(deps.monitorObjects, (commit) => rests(commit) || (isFlip(commit) && isStale()))),
    taintWriter: writerOn(restingStore(deps.objects, isQuiet)),
  };
};

/** Adds writers, event recorder and configuration to the ports. */
export const createInvocation = (deps: ControlPlaneDeps): Invocation => {
  const writers = createWriters(deps);
  const { writer } = writers;
  const onLost = (error: unknown): void => deps.hostLog.warn('failed to write an Event', { error });
  const recorder = createEventRecorder({ writer, ids: deps.ids, onLost });
  const config = { ...NODE_MONITOR_DEFAULTS, ...deps.config, ...IN_OUTAGES };
  return { ...deps, ...writers, recorder, config, podsAtOnce: MOST_TOGETHER };
};
