/** The history of a fleet as data: a state to begin with, and every later change in the order of the log. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { SeenNode } from './seen-node.ts';

/** A time of which the record has nothing: from `from` (exclusive) to `to` (exclusive). */
export interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** A node after a change. Numbers are places in `nodes` and `states`; `state` -1: the Node is gone. */
export interface RecordedChange {
  readonly at: EpochMs;
  readonly node: number;
  readonly state: number;
}

/** An eviction: the deletion of a pod was ordered, for the reason of its condition DisruptionTarget. */
export interface RecordedEviction {
  readonly at: EpochMs;
  readonly node: string;
  /** `namespace/name`. */
  readonly pod: string;
  readonly reason: string;
}

/** What the monitor said of a zone from `at` on. */
export interface RecordedZone {
  readonly at: EpochMs;
  readonly zone: string;
  readonly state: string;
  readonly rate: number;
}

/** Everything that is recorded from `since` to `until`. Lists are sorted by instant; members that were recorded at the same instant are in the order of the log. */
export interface FleetRecord {
  readonly since: EpochMs;
  readonly until: EpochMs;
  readonly gaps: readonly Gap[];
  readonly nodes: readonly string[];
  /** Different facts about nodes, each once. */
  readonly states: readonly SeenNode[];
  /** The state of each node at `since`, by its place in `nodes`; -1: there was none. */
  readonly base: readonly number[];
  readonly changes: readonly RecordedChange[];
  readonly evictions: readonly RecordedEviction[];
  readonly zones: readonly RecordedZone[];
}

/** Nodes by name. */
export type Fleet = ReadonlyMap<string, SeenNode>;

/** Whether the record has what was at an instant. */
export const isRecorded = (
  { since, until, gaps }: Pick<FleetRecord, 'since' | 'until' | 'gaps'>,
  at: EpochMs,
): boolean => at >= since && at <= until && !gaps.some(({ from, to }) => at > from && at < to);

/** The first place in a list that is sorted by instant whose member is after `at`. */
export const placeAfter = (members: readonly { readonly at: EpochMs }[], at: EpochMs): number => {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((members[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The state of each node after all changes up to `at`, by place; -1: there is none. It costs one step for each node and each change before. */
export const statesAt = ({ base, nodes, changes }: FleetRecord, at: EpochMs): Int32Array => {
  const states = new Int32Array(nodes.length).fill(-1);
  base.forEach((state, node) => {
    states[node] = state;
  });
  const end = placeAfter(changes, at);
  for (let place = 0; place < end; place += 1) {
    const change = changes[place];
    if (change) states[change.node] = change.state;
  }
  return states;
};

/** The fleet as it was at an instant; `undefined`: it was not recorded. */
export const fleetAt = (record: FleetRecord, at: EpochMs): Fleet | undefined => {
  if (!isRecorded(record, at)) return undefined;
  const fleet = new Map<string, SeenNode>();
  statesAt(record, at).forEach((state, node) => {
    const [name, seen] = [record.nodes[node], record.states[state]];
    if (name !== undefined && seen) fleet.set(name, seen);
  });
  return fleet;
};
