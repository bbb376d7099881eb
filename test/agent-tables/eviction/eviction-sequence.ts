import { pressureRejection } from '../../../agent/rules/eviction/admission.ts';
import type { NodeReclaim } from '../../../agent/rules/eviction/disk-layout.ts';
import {
  type Eviction,
  type EvictionEvent,
  evictedStatus,
  evictionEvent,
  shortageEvent,
} from '../../../agent/rules/eviction/evicted-pod.ts';
import { NO_PRESSURE, type PressureState } from '../../../agent/rules/eviction/pressure.ts';
import { withContainerFsThresholds } from '../../../agent/rules/eviction/settings.ts';
import {
  decide,
  type EvictionSettings,
  evictionsAfterReclaim,
  observe,
} from '../../../agent/rules/eviction/synchronize.ts';
import {
  type EvictionConfig,
  thresholdsOf,
} from '../../../agent/rules/eviction/thresholds/threshold-config.ts';
import type { FsStats, NodeStats, PodStats } from '../../../agent/rules/stats/summary.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import { type Replays, replay } from '../replay.ts';
import { layoutOf, type RecordedLayout, recordedThreshold, sortedByText } from './eviction-rows.ts';

type Pair = readonly [number, number];

interface RecordedNode {
  readonly memory: Pair;
  readonly allocatableMemory: Pair;
  readonly nodefs: Pair;
  readonly nodefsInodes: Pair;
  readonly imagefs: Pair;
  readonly pid: Pair;
}

interface SequenceRow extends RecordedLayout, EvictionConfig {
  readonly localStorageCapacityIsolation: boolean;
  readonly maxPodGracePeriodSeconds: number;
  readonly pressureTransitionSeconds: number;
  readonly pods: readonly Pod[];
  readonly stats: readonly PodStats[];
  readonly rounds: readonly {
    readonly advanceSeconds: number;
    readonly freshStats: boolean;
    readonly node: RecordedNode;
    readonly nodeAfterReclaim?: RecordedNode;
  }[];
}

const memory = ([availableBytes, workingSetBytes]: Pair, time: number) => ({
  time,
  availableBytes,
  workingSetBytes,
});

const disk = ([availableBytes, capacityBytes]: Pair, time: number): FsStats => ({
  time,
  availableBytes,
  capacityBytes,
});

const nodeOf = (node: RecordedNode, time: number): NodeStats => ({
  memory: memory(node.memory, time),
  systemContainers: [{ name: 'pods', memory: memory(node.allocatableMemory, time) }],
  fs: { ...disk(node.nodefs, time), inodesFree: node.nodefsInodes[0], inodes: node.nodefsInodes[1] },
  runtime: { imageFs: disk(node.imagefs, time) },
  rlimit: { time, curproc: node.pid[0], maxpid: node.pid[1] },
});

const settingsOf = (row: SequenceRow): EvictionSettings => {
  const parsed = thresholdsOf(row);
  if ('error' in parsed) throw new Error(parsed.error);
  const layout = layoutOf(row);
  return {
    ...withContainerFsThresholds(parsed.thresholds, layout),
    layout,
    limitsLocalStorage: row.localStorageCapacityIsolation,
    maxPodGracePeriodSeconds: row.maxPodGracePeriodSeconds,
    pressureTransitionMs: row.pressureTransitionSeconds * 1000,
  };
};

/** The table leaves out times and what is null. */
const slimCondition = ({ type, status, reason, message }: Condition) => ({ type, status, reason, message });

const recordedKill = (eviction: Eviction) => {
  const { conditions, ...status } = evictedStatus(eviction, {}, 0);
  return {
    grace: eviction.graceSeconds,
    isEvicted: true,
    pod: eviction.pod.metadata.name,
    status: {
      ...status,
      ...(conditions && { conditions: conditions.map(slimCondition) }),
    },
  };
};

const podEvent = (eviction: Eviction) => ({
  annotations: null,
  ...evictionEvent(eviction),
  pod: eviction.pod.metadata.name,
});

interface Done {
  readonly events: readonly EvictionEvent[];
  readonly gc: readonly NodeReclaim[];
  readonly evictions: readonly Eviction[];
}

const BEST_EFFORT: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'best-effort' },
  spec: { containers: [{ name: 'c' }] },
};

const recordedRound = ({ conditions, due }: PressureState, settings: EvictionSettings, done: Done) => ({
  actionable: sortedByText(due.flatMap((place) => settings.thresholds[place] ?? []).map(recordedThreshold)),
  admitBestEffort: pressureRejection(BEST_EFFORT, conditions) === undefined,
  conditions,
  events: [...done.events, ...done.evictions.map(podEvent)],
  evicted: done.evictions.map(({ pod }) => pod.metadata.name),
  gc: done.gc,
  kills: done.evictions.map(recordedKill),
});

const runSequence = (row: SequenceRow) => {
  const settings = settingsOf(row);
  let [state, now, time] = [NO_PRESSURE, 0, 0];
  return row.rounds.map(({ advanceSeconds, freshStats, node, nodeAfterReclaim }) => {
    now += advanceSeconds * 1000;
    if (freshStats) time = now;
    const observed = observe(settings, state, nodeOf(node, time), now);
    state = observed.state;
    const decision = decide(settings, observed, row.pods, row.stats);
    if (decision.action === 'none')
      return recordedRound(state, settings, { events: [], gc: [], evictions: [] });
    if (decision.action === 'evict')
      return recordedRound(state, settings, { events: [], gc: [], ...decision });
    const { reclaim: gc, shortage } = decision;
    const after = gc.length > 0 ? nodeOf(nodeAfterReclaim ?? node, time) : undefined;
    const evictions = evictionsAfterReclaim(settings, shortage, after);
    return recordedRound(state, settings, { events: [shortageEvent(shortage.resource)], gc, evictions });
  });
};

export const TABLES: Replays = { 'eviction-sequence': replay(runSequence) };
