/** The four conditions that a node agent writes. Source: kubernetes v1.34 pkg/kubelet/nodestatus. */
import type { NodeStatus } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import {
  DISK_PRESSURE,
  MEMORY_PRESSURE,
  PID_PRESSURE,
  READY,
} from '../../../shared/kube/types/well-known.ts';
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';
import { aggregateText } from '../aggregate-text.ts';
import type { NodeEvent } from '../node/reported-status.ts';

interface Verdict {
  readonly reason: string;
  readonly message: string;
  readonly event: string;
}

/** What a pressure is called while it lasts (`True`) and while there is none (`False`). */
const PRESSURES = {
  [MEMORY_PRESSURE]: {
    True: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      event: 'NodeHasInsufficientMemory',
    },
    False: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      event: 'NodeHasSufficientMemory',
    },
  },
  [DISK_PRESSURE]: {
    True: {
      reason: 'KubeletHasDiskPressure',
      message: 'kubelet has disk pressure',
      event: 'NodeHasDiskPressure',
    },
    False: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      event: 'NodeHasNoDiskPressure',
    },
  },
  [PID_PRESSURE]: {
    True: {
      reason: 'KubeletHasInsufficientPID',
      message: 'kubelet has insufficient PID available',
      event: 'NodeHasInsufficientPID',
    },
    False: {
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      event: 'NodeHasSufficientPID',
    },
  },
} satisfies Record<string, Record<'True' | 'False', Verdict>>;

export type PressureType = keyof typeof PRESSURES;

/** In the order in which they are written; Ready comes last. */
const PRESSURE_TYPES = [
  MEMORY_PRESSURE,
  DISK_PRESSURE,
  PID_PRESSURE,
] as const satisfies readonly PressureType[];

/** What the agent knows of itself. A list of errors is empty while all is well. */
export interface NodeHealth {
  readonly pressures: Readonly<Record<PressureType, boolean>>;
  readonly runtimeErrors: readonly string[];
  readonly networkErrors: readonly string[];
  readonly storageErrors: readonly string[];
  readonly shutdownErrors: readonly string[];
  /** Wishes that the machine does not fulfil. They are told, and the node is ready all the same. */
  readonly softRequirements?: string;
  readonly localStorageCapacityIsolation: boolean;
}

export interface ConditionsUpdate {
  readonly conditions: readonly Condition[];
  readonly events: readonly NodeEvent[];
}

const eventOf = (nodeName: string, reason: string): NodeEvent => ({
  type: 'Normal',
  reason,
  message: `Node ${nodeName} status is now: ${reason}`,
});

const put = (conditions: readonly Condition[], index: number, condition: Condition): readonly Condition[] =>
  index < 0 ? [...conditions, condition] : conditions.with(index, condition);

/**
 * One pressure at `now`. Reason, message and transition time change only with the status, so that what another writer wrote about
 * the same status stays. A missing condition counts as Unknown, so the first look always has an event.
 */
export const withPressure = (
  before: ConditionsUpdate,
  type: PressureType,
  isUnderPressure: boolean,
  { nodeName, now }: { readonly nodeName: string; readonly now: EpochMs },
): ConditionsUpdate => {
  const index = before.conditions.findLastIndex((condition) => condition.type === type);
  const old: Condition = before.conditions[index] ?? { type, status: 'Unknown' };
  const time = toTime(now);
  const status = isUnderPressure ? 'True' : 'False';
  const { event, ...texts } = PRESSURES[type][status];
  const flipped = { ...old, status, ...texts, lastTransitionTime: time } as const;
  const isFlip = old.status !== status;
  const condition = { ...(isFlip ? flipped : old), lastHeartbeatTime: time };
  return {
    conditions: put(before.conditions, index, condition),
    events: isFlip ? [...before.events, eventOf(nodeName, event)] : before.events,
  };
};

const missingCapacity = (
  capacity: NodeStatus['capacity'] = {},
  isLocalStorageCounted: boolean,
): readonly string[] => {
  const required = ['cpu', 'memory', 'pods', ...(isLocalStorageCounted ? ['ephemeral-storage'] : [])];
  const missing = required.filter((name) => !Object.hasOwn(capacity, name));
  return missing.length > 0 ? [`missing node capacity for resources: ${missing.join(', ')}`] : [];
};

const readyTexts = (
  health: NodeHealth,
  capacity: NodeStatus['capacity'],
): Pick<Condition, 'reason' | 'message' | 'status'> => {
  const problem = aggregateText([
    ...health.runtimeErrors,
    ...health.networkErrors,
    ...health.storageErrors,
    ...health.shutdownErrors,
    ...missingCapacity(capacity, health.localStorageCapacityIsolation),
  ]);
  const warning = health.softRequirements ? `. WARNING: ${health.softRequirements}` : '';
  return problem === undefined
    ? { status: 'True', reason: 'KubeletReady', message: `kubelet is posting ready status${warning}` }
    : { status: 'False', reason: 'KubeletNotReady', message: `${problem}${warning}` };
};

/** Ready at `now`: written anew each time, with the old transition time if the status is the same. A first one has no event. */
export const withReady = (
  before: ConditionsUpdate,
  health: NodeHealth,
  {
    nodeName,
    now,
    capacity,
  }: { readonly nodeName: string; readonly now: EpochMs; readonly capacity?: NodeStatus['capacity'] },
): ConditionsUpdate => {
  const index = before.conditions.findIndex(({ type }) => type === READY);
  const old = before.conditions[index];
  const time = toTime(now);
  const texts = readyTexts(health, capacity);
  const isSame = old?.status === texts.status;
  const since = isSame ? old?.lastTransitionTime : time;
  const condition: Condition = {
    type: READY,
    ...texts,
    lastHeartbeatTime: time,
    ...(since !== undefined && { lastTransitionTime: since }),
  };
  const event = texts.status === 'True' ? 'NodeReady' : 'NodeNotReady';
  return {
    conditions: put(before.conditions, index, condition),
    events: old === undefined || isSame ? before.events : [...before.events, eventOf(nodeName, event)],
  };
};

/** All four conditions of a status at `now`, and the events about what changed. */
export const nodeConditions = (
  status: NodeStatus | undefined,
  health: NodeHealth,
  at: { readonly nodeName: string; readonly now: EpochMs },
): ConditionsUpdate => {
  const none: ConditionsUpdate = { conditions: status?.conditions ?? [], events: [] };
  const withPressures = PRESSURE_TYPES.reduce(
    (update, type) => withPressure(update, type, health.pressures[type], at),
    none,
  );
  const capacity = status?.capacity;
  return withReady(withPressures, health, { ...at, ...(capacity && { capacity }) });
};
