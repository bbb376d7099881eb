/** A scenario with every random choice made: heartbeats and faults have fixed times, so that runs of it are repeatable. */
import type { Chance } from '../../shared/adapters/hostile/chance.ts';
import { createChance } from '../../shared/adapters/hostile/chance.ts';
import type { FaultRates } from '../../shared/adapters/hostile/process.ts';
import type { LifecyclePolicy } from '../../shared/kube/types/lifecycle-policy.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Part } from '../plane/control-plane-types.ts';
import type { Machine } from '../plane/machine.ts';
import { silences } from '../plane/schedule.ts';
import { FOREVER, silencesByMachine } from './cuts.ts';
import { actionsOf, type PlannedAction, zonesOf } from './plan-actions.ts';
import { type PlannedRelay, relaysOf, returnsOf } from './planned-relays.ts';
import type { Action, Fault, Scenario } from './scenario.ts';

/** Seconds for which a pod tolerates not-ready and unreachable; `none`: no toleration, `forever`: one without end. */
export type PlannedToleration = number | 'none' | 'forever';

export interface PlannedPod {
  readonly name: string;
  readonly node: string;
  readonly toleration: PlannedToleration;
}

/** A workload: `cpu` and `memory` are what each of its pods requests. */
export interface PlannedWorkload {
  readonly name: string;
  /** Absent in recordings that are older than other namespaces: `default`. */
  readonly namespace?: string;
  /** Absent in recordings that are older than other kinds: ReplicaSet. */
  readonly kind?: 'ReplicaSet' | 'Deployment' | 'DaemonSet' | 'StatefulSet';
  readonly replicas: number;
  readonly toleration: PlannedToleration | undefined;
  /** Absent in recordings that are older than volumes: `false`. */
  readonly volumes?: boolean;
  readonly cpu: string;
  readonly memory: string;
}

/** What each machine has for pods. */
export interface Room {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: number;
}

/** A fault of the control plane from `from` (inclusive) to `to` (exclusive). */
export type ControlFault = { readonly from: EpochMs; readonly to: EpochMs } & (
  | { readonly kind: 'redeploy' }
  | { readonly kind: 'pause'; readonly parts: readonly Part[] }
  | { readonly kind: 'trouble'; readonly rates: Partial<FaultRates> }
);

/** The time at which a kubelet returns and writes Ready=True, if the control plane has changed it. */
export interface ReadyPost {
  readonly at: EpochMs;
  readonly node: string;
}

/** A whole run, without random choices left. `settings`: by Kubernetes' names. */
export interface Plan {
  readonly name: string;
  readonly seed: number;
  readonly startAt: EpochMs;
  readonly endAt: EpochMs;
  readonly machines: readonly Machine[];
  /** Absent in recordings that are older than relays, and without them. */
  readonly relays?: readonly PlannedRelay[];
  readonly pods: readonly PlannedPod[];
  /** Absent in recordings that are older than workloads, and without them. */
  readonly workloads?: readonly PlannedWorkload[];
  readonly room?: Room;
  /** In order. Absent in recordings that are older than actions, and without them. */
  readonly actions?: readonly PlannedAction[];
  /** Absent in recordings that are older than policies, and without them. */
  readonly policies?: readonly LifecyclePolicy[];
  readonly readyPosts: readonly ReadyPost[];
  readonly controlFaults: readonly ControlFault[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Midnight of a Tuesday in 2026. */
const START_AT = 1_767_657_600_000;

const namesOf = (zone: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${zone}-${index + 1}`);

const machineOf = (scenario: Scenario, name: string, zone: string, chance: Chance): Machine => {
  const { beat, clockSkew } = scenario.fleet;
  const schedule = {
    startAt: START_AT + Math.floor(chance.upTo(beat.every)),
    intervalMs: beat.every,
    jitterMs: Math.min(beat.jitter, beat.every - 1),
    seed: Math.floor(chance.upTo(2 ** 31)),
    gaps: [],
    losses: [],
  };
  const clockSkewMs = Math.round(chance.upTo(2 * clockSkew) - clockSkew);
  return { name, zone, beating: { style: beat.style, schedule, clockSkewMs } };
};

const podsOf = ({ fleet: { pods } }: Scenario, node: string): readonly PlannedPod[] =>
  pods
    .flatMap(({ perNode, toleration }) => Array.from({ length: perNode }, () => toleration))
    .map((toleration, index) => ({ name: `${node}-pod-${index + 1}`, node, toleration }));

const endOf = (fault: Fault): EpochMs =>
  fault.for === undefined ? FOREVER : START_AT + fault.at + fault.for;

const controlFault = (fault: Fault): readonly ControlFault[] => {
  const time = { from: START_AT + fault.at, to: endOf(fault) };
  switch (fault.kind) {
    case 'redeploy':
      return [{ ...time, to: fault.for === undefined ? time.from : time.to, kind: 'redeploy' }];
    case 'pause':
      return [{ ...time, kind: 'pause', parts: fault.parts }];
    case 'trouble': {
      const {
        kind,
        where: _where,
        at: _at,
        for: _for,
        stallFor,
        indexLag,
        messageDelay,
        clockSkew,
        ...shares
      } = fault;
      const spans = {
        stallMs: stallFor,
        indexLagMs: indexLag,
        messageDelayMs: messageDelay,
        clockSkewMs: clockSkew,
      };
      return [{ ...time, kind, rates: { ...shares, ...spans } }];
    }
    case 'silence':
    case 'loss':
    case 'flap':
    case 'cutUplink':
      return []; // These remove heartbeats; they are no faults of the control plane.
  }
};

const postsOf = ({ name, beating: { style, schedule } }: Machine, endAt: EpochMs): readonly ReadyPost[] => {
  if (style === 'plain' || schedule.gaps.length + schedule.losses.length === 0) return [];
  return silences(schedule, START_AT, endAt, 2 * schedule.intervalMs).flatMap(({ to }) =>
    to === undefined ? [] : [{ at: to, node: name }],
  );
};

const DEFAULT_ROOM: Room = { cpu: '4', memory: '16Gi', pods: 110 };

const workOf = ({ workloads, fleet: { room } }: Scenario): Pick<Plan, 'workloads' | 'room'> =>
  workloads.length === 0 ? {} : { workloads, room: room ?? DEFAULT_ROOM };

type Join = Extract<Action, { kind: 'join' }>;

const joinsOf = ({ actions }: Scenario): readonly Join[] =>
  actions.flatMap((action) => (action.kind === 'join' ? [action] : []));

/** Machines that join, in the order of the actions; their names go on after those of their zone. */
const joiningMachines = (
  scenario: Scenario,
  chance: Chance,
): readonly { readonly at: EpochMs; readonly machine: Machine }[] => {
  const sizes = new Map(zonesOf(scenario).map((zone) => [zone, scenario.fleet.nodesPerZone]));
  return joinsOf(scenario).flatMap(({ zone, count, at }) =>
    Array.from({ length: count }, () => {
      const size = (sizes.get(zone) ?? 0) + 1;
      sizes.set(zone, size);
      const machine = machineOf(scenario, `${zone}-${size}`, zone, chance);
      const { schedule } = machine.beating;
      const joining = { ...schedule, startAt: schedule.startAt + at };
      return {
        at: START_AT + at,
        machine: { ...machine, beating: { ...machine.beating, schedule: joining } },
      };
    }),
  );
};

/** Makes every random choice of a scenario by the seed. Throws a `ScenarioError` if a fault names nodes that do not exist. */
export const planOf = (scenario: Scenario, seed = scenario.seed): Plan => {
  const chance = createChance(seed);
  const endAt = START_AT + scenario.duration;
  const fleet = zonesOf(scenario).flatMap((zone) =>
    namesOf(zone, scenario.fleet.nodesPerZone).map((name) => machineOf(scenario, name, zone, chance)),
  );
  const joining = joiningMachines(scenario, chance);
  fleet.push(...joining.map(({ machine }) => machine));
  const names = fleet.map(({ name }) => name);
  const actions = [
    ...joining.map(({ at, machine: { name } }): PlannedAction => ({ at, kind: 'join', node: name })),
    ...scenario.actions.flatMap((action) => actionsOf(action, scenario, names, START_AT)),
  ];
  const cuts = silencesByMachine(scenario.faults, fleet, { startAt: START_AT, endAt }, chance);
  const machines = fleet.map((machine) => {
    const cut = cuts.get(machine.name);
    if (!cut) return machine;
    return { ...machine, beating: { ...machine.beating, schedule: { ...machine.beating.schedule, ...cut } } };
  });
  const relays = relaysOf(scenario, machines, START_AT, chance);
  return {
    name: scenario.name,
    seed,
    startAt: START_AT,
    endAt,
    machines,
    ...(relays.length === 0 ? {} : { relays }),
    pods: machines.flatMap(({ name }) => podsOf(scenario, name)),
    ...workOf(scenario),
    ...(actions.length === 0 ? {} : { actions: actions.toSorted((a, b) => a.at - b.at) }),
    readyPosts: [
      ...machines.flatMap((machine) => postsOf(machine, endAt)),
      ...(scenario.fleet.beat.style === 'plain'
        ? []
        : relays.flatMap((relay) => returnsOf(relay, START_AT, endAt))),
    ].toSorted((a, b) => a.at - b.at),
    controlFaults: scenario.faults.flatMap(controlFault),
    ...(scenario.policies.length === 0 ? {} : { policies: scenario.policies }),
    settings: scenario.configuration,
  };
};
