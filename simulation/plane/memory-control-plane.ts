import type { Change } from '../../lambdas/change-router/change.ts';
import { routeChanges } from '../../lambdas/change-router/route-changes.ts';
import type { LoadedController } from '../../lambdas/controllers.ts';
import { MonitorTick } from '../../lambdas/node-monitor/message.ts';
import { TICKS } from '../../lambdas/node-monitor/queue.ts';
import { reconcile as monitorNodes, NODE_MONITOR_DEFAULTS } from '../../lambdas/node-monitor/reconcile.ts';
import { createMemoryEventBus } from '../../shared/adapters/memory/event-bus.ts';
import { createMemoryState, type MemoryState } from '../../shared/adapters/memory/state.ts';
import { createVirtualClock, type VirtualClock } from '../../shared/adapters/memory/virtual-clock.ts';
import { handlingMessage } from '../../shared/adapters/system/message-chain.ts';
import { API_SERVER_DEFAULTS } from '../../shared/apiserver/contract/deps.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { QueueName } from '../../shared/ports/process/work-queue.ts';
import { clusterRanges } from '../../shared/rules/addresses/cluster-range.ts';
import { DEFAULT_SCHEDULER } from '../../shared/rules/scheduling/pending.ts';
import { parseConfiguration } from '../../shared/settings/aws/configuration.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createAddressEffects } from '../../shared/store/writer/address-effects.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { withHolds } from '../../shared/store/writer/destruction.ts';
import { createKnownHolds } from '../../shared/store/writer/known-holds.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { createChangeStream } from './change-stream.ts';
import type { Committed, ControlPlane, ControlPlaneOptions, Invocation } from './control-plane-types.ts';
import { createIds } from './ids.ts';
import { createQueueDelivery } from './queue-delivery.ts';
import { type SimulatedRun, startSchedules } from './scheduled-runs.ts';

type Handle = (body: unknown) => Promise<unknown>;

/** How each queue's messages are handled. `monitor` replaces the handling of ticks. */
const handlesOf = (
  controllers: readonly LoadedController[],
  invoke: ControlPlane['invoke'],
  monitor: ControlPlaneOptions['monitor'],
): ReadonlyMap<QueueName, Handle> => {
  const handles = new Map<QueueName, Handle>();
  for (const { queue, work } of controllers)
    if (queue) handles.set(queue.name, async (body) => work.handle(invoke(), body));
  if (monitor)
    handles.set(TICKS.name, async (body) => {
      const tick = MonitorTick.parse(body);
      return monitor(() => monitorNodes(invoke(), tick), tick);
    });
  return handles;
};

const createHandler =
  (handles: ReadonlyMap<QueueName, Handle>): ((queue: QueueName, body: string) => Promise<unknown>) =>
  async (queue, body) => {
    const handle = handles.get(queue);
    if (!handle) throw new Error(`no controller handles messages of the queue "${queue}"`);
    return handle(JSON.parse(body));
  };

/** Runs work and collects its errors. */
const createFailures = () => {
  const failures: unknown[] = [];
  /** Resolves to whether the work succeeded. */
  const attempt = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => true,
      (error: unknown) => {
        failures.push(error);
        return false;
      },
    );
  return { failures, attempt };
};

/** Whoever is asked about what is not in the cluster. */
const outsideOf = ({ cloud, fencing, disks }: ControlPlaneOptions) => ({
  ...(cloud ? { cloud } : {}),
  ...(fencing ? { fencing } : {}),
  ...(disks ? { disks } : {}),
});

const configOf = (options: ControlPlaneOptions): ControlPlane['config'] => {
  const { enableAdmissionPlugins } = API_SERVER_DEFAULTS;
  const { defaultTolerationSeconds = DEFAULTS.defaultTolerationSeconds } = options;
  const { terminatedPodGcThreshold = DEFAULTS.terminatedPodGcThreshold } = options;
  const { maintenanceLeadMs, ...defaults } = parseConfiguration();
  const { disableForceDetachOnTimeout = false, outOfService = defaults.outOfService } = options;
  const own = {
    defaultTolerationSeconds,
    enableAdmissionPlugins,
    outOfService,
    terminatedPodGcThreshold,
    disableForceDetachOnTimeout,
    maintenanceLeadMs,
  };
  return { ...NODE_MONITOR_DEFAULTS, ...options.config, ...own };
};

/** A function that calls `work` at its first call, and does nothing at later calls. */
const atFirst = (work: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
};

/** On AWS the function of the stream is another process: whatever wrote the changes, its messages begin chains. */
const routeAlone = (ports: ReturnType<ControlPlane['invoke']>, batch: readonly Change[]) => {
  const { mayHave } = ports.objects;
  const { cloud, skipsCalmPasses } = ports;
  const facts = { mayHave, hasCloud: cloud !== undefined, hasClusterCidr: true, skipsCalmPasses };
  return handlingMessage(undefined, () => routeChanges({ ...ports, facts }, batch));
};

/** How a test or a scenario writes, beside the controllers. */
const clientsOf = (
  state: MemoryState,
  clock: VirtualClock,
  ids: IdSource,
  nodeIpam: ControlPlaneOptions['nodeIpam'],
) => {
  const effects = nodeIpam && { addressEffects: createAddressEffects(clusterRanges(nodeIpam)) };
  const capacityEffects = createCapacityEffects(state.capacity);
  const holds = createKnownHolds({ ...state, clock });
  const writer = withHolds(createObjectWriter({ ...state, clock, ids, capacityEffects, ...effects }), holds);
  return { writer, recorder: createEventRecorder({ writer, ids }) };
};

/**
 * The control plane on memory adapters in virtual time. Its schedules start with the first call of `run`. The controllers are loaded before any
 * clock runs: virtual time must not wait for files.
 */
export const controlPlaneOf = (
  controllers: readonly LoadedController[],
  options: ControlPlaneOptions = {},
): ControlPlane => {
  const { clock = createVirtualClock(), stored: state = createMemoryState(), monitor, nodeIpam } = options;
  const config = configOf(options);
  const [ids, bus, off] = [createIds(), createMemoryEventBus(), new Set<string>()];
  const { failures, attempt } = createFailures();
  const commits: Committed[] = [];
  const onCommit = options.onCommit ?? ((commit: Committed) => commits.push(commit));

  const invoke: ControlPlane['invoke'] = () => {
    const ports: Invocation = { ...state, clock, ids, queues, bus };
    const own = options.invocation?.(ports) ?? ports;
    const holds = createKnownHolds(own);
    const capacityEffects = createCapacityEffects(own.capacity);
    const writer = withHolds(createObjectWriter({ ...own, capacityEffects }), holds);
    const recorder = createEventRecorder({ writer, ids: own.ids });
    const { schedulerName = DEFAULT_SCHEDULER, skipsCalmPasses = false } = options;
    const given = { config, nodeIpam, schedulerName, skipsCalmPasses };
    return { ...own, writer, holds, recorder, ...given, ...outsideOf(options) };
  };

  const handle = createHandler(handlesOf(controllers, invoke, monitor));
  const { queues, deadLetters } = createQueueDelivery({
    clock,
    visibilityTimeoutMs: options.visibilityTimeoutMs ?? 30_000,
    isOn: (queue) => !off.has(queue),
    handle: (queue, body) => attempt(handle(queue, body)),
    ...optional('onHop', options.onHop),
  });

  const stream = createChangeStream({
    clock,
    isOn: () => !off.has('stream'),
    route: (batch) => attempt(routeAlone(invoke(), batch)),
  });
  state.listen((before, after) => {
    const change = { ...(before ? { before } : {}), after };
    onCommit({ at: clock.now(), change });
    stream.add(change);
  });

  const runIfOn = async ({ name, run }: SimulatedRun): Promise<unknown> =>
    off.has(name) ? undefined : attempt(run(invoke()));
  const start = atFirst(() => startSchedules(clock, controllers, runIfOn));

  const { writer, recorder } = clientsOf(state, clock, ids, nodeIpam);
  return {
    clock,
    config,
    state,
    writer,
    recorder,
    queues,
    bus,
    deadLetters,
    failures,
    commits,
    invoke,
    run: async (ms) => {
      start();
      await clock.run(clock.sleep(ms));
    },
    set: (part, isOn) => {
      if (isOn) off.delete(part);
      else off.add(part);
    },
  };
};
