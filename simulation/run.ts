import { loadControllers } from '../lambdas/controllers.ts';
import { createMemoryState } from '../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../shared/adapters/memory/virtual-clock.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import { CLOUD_NODE } from '../shared/ports/process/messages.ts';
import type { QueueName, WorkQueues } from '../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../shared/ports/store/control-store.ts';
import { FREE_HOPS } from '../shared/rules/message-hops.ts';
import type { ToldNotification } from '../shared/rules/notifications/as-told.ts';
import type { LifecycleEvent } from '../shared/rules/notifications/lifecycle-event.ts';
import type { NodeIpamConfig } from '../shared/settings/node-ipam.ts';
import type { NodeLifecycleConfig } from '../shared/settings/node-lifecycle.ts';
import type { OutOfServiceConfig } from '../shared/settings/out-of-service.ts';
import { waitUntil } from '../shared/store/turns/wait-until.ts';
import { actInTime } from './actions/actions.ts';
import { createSimulatedCloud } from './actions/cloud.ts';
import { invocationUnder, startPauses } from './actions/control-faults.ts';
import { startRelays } from './actions/relays.ts';
import { createDrainHistory, type DrainOutcome } from './figures/drain-history.ts';
import type { Happening, History } from './figures/history.ts';
import { createHistory } from './figures/history.ts';
import { createHoldHistory, type HoldOutcome } from './figures/hold-history.ts';
import { createNamespaceHistory } from './figures/namespace-history.ts';
import { createNotificationHistory } from './figures/notification-history.ts';
import { createWorkHistory, type WorkloadOutcome } from './figures/work-history.ts';
import { createDiskCloud, createDisks, type Disks, type VolumeFigures } from './fleet/disks.ts';
import { postReady, register } from './fleet/fleet.ts';
import { createKubelets } from './fleet/kubelets.ts';
import type { Plan } from './plan/plan.ts';
import type { PlannedAction } from './plan/plan-actions.ts';
import { createBeatingTable } from './plane/beating-table.ts';
import type {
  Committed,
  ControlPlane,
  ControlPlaneOptions,
  Invocation,
} from './plane/control-plane-types.ts';
import { controlPlaneOf } from './plane/memory-control-plane.ts';
import { createQuietPasses, type QuietPasses } from './quiet-passes.ts';

/** The results of a run. */
export interface Outcome {
  readonly happenings: readonly Happening[];
  /** Objects written, by resource. */
  readonly commits: Readonly<Record<string, number>>;
  /** Messages sent, by queue. */
  readonly messages: Readonly<Record<string, number>>;
  /** Of all chains of messages: the most hops, and the largest excess (`excessHops`); up to 0: none was slowed. */
  readonly chains: { readonly mostHops: number; readonly mostExcess: number };
  /** Writes of zones, limiters, wake-ups, deadlines and passes. */
  readonly controlWrites: number;
  /** Passes that ran. */
  readonly passes: number;
  /** Passes that were left out because they would have changed nothing. */
  readonly quietPasses: number;
  /** What became of the workloads, by name. */
  readonly workloads: Readonly<Record<string, WorkloadOutcome>>;
  /** Milliseconds until deleted namespaces were gone, by name. */
  readonly namespaces: Readonly<Record<string, number>>;
  /** Absent without volumes. */
  readonly volumes?: VolumeFigures;
  readonly drains: DrainOutcome;
  readonly holds: HoldOutcome;
  /** What a sink of events would have been told. */
  readonly notifications: readonly ToldNotification[];
  /** How many sites of relays were cut off, and how many of them have returned. */
  readonly sites: { readonly cutOff: number; readonly returned: number };
  /** Failed invocations, also because of planned faults. Their messages are received again. */
  readonly failures: number;
}

export interface RunOptions {
  /** Absent: Nodes get no podCIDRs. */
  readonly nodeIpam?: NodeIpamConfig | undefined;
  /** Terminated pods that are kept; Kubernetes' default if absent. */
  readonly terminatedPodGcThreshold?: number;
  readonly disableForceDetachOnTimeout?: boolean;
  readonly outOfService?: OutOfServiceConfig;
  readonly defaultTolerationSeconds?: number;
  /** With `false` passes that would change nothing run, too. */
  readonly leaveOutQuietPasses?: boolean;
  /** As on AWS, where the monitor leaves passes out itself: then no other may be left out, because it knows by them. */
  readonly skipsCalmPasses?: boolean;
}

interface Counts {
  readonly messages: Map<QueueName, number>;
  controlWrites: number;
  chains: Outcome['chains'];
}

const createCounts = (): Counts => ({
  messages: new Map(),
  controlWrites: 0,
  chains: { mostHops: 0, mostExcess: -FREE_HOPS },
});

const counted = ({ messages, chains, controlWrites }: Counts) => ({
  messages: Object.fromEntries(messages),
  chains,
  controlWrites,
});

const READS: readonly (keyof ControlStore)[] = [
  'readPass',
  'readPassAndCounter',
  'zones',
  'zone',
  'deadlines',
  'dueDeadlines',
];

/** Counts a write of several items once per item. */
const countingItems =
  (control: ControlStore, name: 'storeDeadlines' | 'deleteDeadlines', counts: Counts) =>
  (items: Parameters<ControlStore['storeDeadlines']>[0] & Parameters<ControlStore['deleteDeadlines']>[0]) => {
    counts.controlWrites += items.length;
    return control[name](items);
  };

const countingControl = (control: ControlStore, counts: Counts): ControlStore =>
  new Proxy(control, {
    get: (target, name: keyof ControlStore) => {
      if (name === 'storeDeadlines' || name === 'deleteDeadlines') return countingItems(target, name, counts);
      if (!READS.includes(name)) counts.controlWrites += 1;
      return target[name];
    },
  });

const countingQueues = (queues: WorkQueues, { messages }: Counts): WorkQueues => ({
  send: (queue, sent) => {
    messages.set(queue, (messages.get(queue) ?? 0) + sent.length);
    return queues.send(queue, sent);
  },
});

const countingHops =
  (counts: Counts): NonNullable<ControlPlaneOptions['onHop']> =>
  ({ hops }, excess) => {
    const { mostHops, mostExcess } = counts.chains;
    counts.chains = { mostHops: Math.max(mostHops, hops), mostExcess: Math.max(mostExcess, excess) };
  };

/** Writes Ready=True for kubelets that return, at the planned times. */
const postInTime = async ({ writer, clock }: ControlPlane, { readyPosts }: Plan): Promise<void> => {
  for (const { at, node } of readyPosts) {
    await waitUntil(clock, at);
    await postReady(writer, node);
  }
};

/** Runs the passes of ticks, and leaves out those that would change nothing if `maySkip`. */
const createPassRunner = (
  { clock, quiet, history }: { clock: Clock; quiet: QuietPasses; history: History },
  { maySkip, skipsCalmPasses = false }: { maySkip: boolean } & Pick<RunOptions, 'skipsCalmPasses'>,
) => {
  let quietPasses = 0;
  let lastTick = 0;
  const monitor: NonNullable<ControlPlaneOptions['monitor']> = async (run, { at }) => {
    // On AWS a tick asks before it waits.
    if (!skipsCalmPasses) await waitUntil(clock, at);
    if (maySkip && (await quiet.isQuiet(clock.now()))) {
      if (at > lastTick) quietPasses += 1; // A tick may be received twice.
      lastTick = at;
      return;
    }
    lastTick = at;
    const now = Math.max(clock.now(), at);
    quiet.onStart(now);
    const report = await run();
    history.onPass(report, now);
    quiet.onPass(report, now);
  };
  return { monitor, quietPasses: () => quietPasses };
};

/** Actions by which machines come or go. */
const CHANGES_FLEET: readonly PlannedAction['kind'][] = ['join', 'leave', 'terminate', 'stop', 'interrupt'];

const isOfCloud = ({ kind }: PlannedAction): boolean => ['terminate', 'stop', 'interrupt'].includes(kind);

/** Whether quiet passes of the plan can be predicted: from the machines that are there at the start, and without policies and relays. */
const isPredictable = ({ actions = [], policies = [], relays = [] }: Plan): boolean =>
  policies.length + relays.length === 0 && !actions.some(({ kind }) => CHANGES_FLEET.includes(kind));

/** Those that take down what happens in a run. */
const createHistories = (plan: Plan) => {
  const history = createHistory(
    new Map(plan.machines.map(({ name, zone }) => [name, zone])),
    new Map(plan.pods.map(({ name, toleration }) => [name, toleration])),
  );
  const work = createWorkHistory(plan.workloads ?? []);
  const namespaces = createNamespaceHistory();
  const drains = createDrainHistory();
  const holds = createHoldHistory();
  const onCommit = (commit: Committed): void => {
    for (const one of [history, work, namespaces, drains, holds]) one.onCommit(commit);
  };
  const outcomes = () => ({
    workloads: work.outcomes(),
    namespaces: namespaces.goneAfterMs(),
    drains: drains.outcome(),
    holds: holds.outcome(),
  });
  return { history, outcomes, onCommit };
};

const sitesIn = (events: readonly LifecycleEvent[]): Outcome['sites'] => {
  const count = (type: LifecycleEvent['detailType']): number =>
    events.filter(({ detailType }) => detailType === type).length;
  return { cutOff: count('SitePartitioned'), returned: count('SiteReturned') };
};

/** The beats of machines that are behind no relay. */
const directBeats = ({ machines, relays }: Plan) => {
  const behind = new Set(relays?.flatMap(({ nodes }) => nodes));
  return new Map(machines.flatMap(({ name, beating }) => (behind.has(name) ? [] : [[name, beating]])));
};

const hasVolumes = ({ workloads }: Plan): boolean => workloads?.some(({ volumes }) => volumes) === true;
const asksTheCloud = ({ actions }: Plan): boolean => actions?.some(isOfCloud) === true;

/** Runs a plan with a configuration. The same plan and configuration give the same outcome. */
export const runPlan = async (
  plan: Plan,
  lifecycle: NodeLifecycleConfig,
  { leaveOutQuietPasses = true, ...settings }: RunOptions = {},
): Promise<Outcome> => {
  const clock = createVirtualClock(plan.startAt);
  // A function that stalls may use what it read for seconds.
  const isHostile = plan.controlFaults.some(({ kind }) => kind !== 'pause');
  const stored = createMemoryState({ heartbeats: createBeatingTable(clock, directBeats(plan), isHostile) });
  // Drops the changes of the registration. The control plane replaces this listener.
  stored.listen(() => undefined);
  const { history, outcomes, onCommit: takeDown } = createHistories(plan);
  const quiet = createQuietPasses(plan, lifecycle, stored.control);
  const maySkip = leaveOutQuietPasses && !isHostile && isPredictable(plan);
  const passes = createPassRunner({ clock, quiet, history }, { ...settings, maySkip });
  const counts = createCounts();
  const faulty = invocationUnder(plan, clock);
  const notifications = createNotificationHistory(clock);
  const invocation = (ports: Invocation): Invocation =>
    faulty({
      ...ports,
      control: countingControl(ports.control, counts),
      queues: countingQueues(ports.queues, counts),
      bus: notifications.noting(ports.bus),
    });
  let kubelets: (commit: Committed) => void = () => undefined;
  let disks: Disks | undefined;
  const onCommit: NonNullable<ControlPlaneOptions['onCommit']> = (commit) => {
    takeDown(commit);
    quiet.onCommit(commit);
    kubelets(commit);
    disks?.onCommit(commit);
  };
  await register({ ...stored, clock }, plan);
  const cloud = createSimulatedCloud(clock, (body) => plane.queues.send(CLOUD_NODE, [{ body }]));
  const plane: ControlPlane = controlPlaneOf(await loadControllers(), {
    clock,
    stored,
    config: lifecycle,
    invocation,
    onCommit,
    onHop: countingHops(counts),
    ...settings,
    ...(asksTheCloud(plan) ? { cloud: cloud.provider } : {}),
    ...(hasVolumes(plan) ? { disks: createDiskCloud(clock) } : {}),
    monitor: passes.monitor,
  });
  // Pods that belong to nobody are only there to be evicted.
  if (plan.workloads) kubelets = createKubelets({ ...plane, machines: plan.machines });
  if (hasVolumes(plan)) disks = createDisks({ ...plane, machines: plan.machines });
  startPauses(plane, plan);
  startRelays(plane, plan);
  void postInTime(plane, plan);
  void actInTime({ ...plane, cloud }, plan);
  await plane.run(plan.endAt - plan.startAt);
  return {
    happenings: history.happenings,
    commits: Object.fromEntries(history.commits),
    ...counted(counts),
    passes: history.passes,
    quietPasses: passes.quietPasses(),
    ...outcomes(),
    ...(disks ? { volumes: disks.figures() } : {}),
    notifications: notifications.told(plan.endAt),
    sites: sitesIn(plane.bus.published),
    failures: plane.failures.length,
  };
};
