/** What `/metrics` tells of the agent itself. Source: kubernetes v1.34 pkg/kubelet/metrics `metrics.go`; client_golang `process_collector.go`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { RuntimeContainer } from '../containers/runtime-status.ts';
import type { EvictionSignal } from '../eviction/thresholds/signals.ts';
import type { MetricFamily, MetricSample } from './metric-family.ts';

export type WorkAnswerKind = 'read' | 'unchanged' | 'failed';

/** What the agent has counted since its start. */
export interface AgentCounts {
  readonly beats: number;
  readonly workRequests: ReadonlyMap<WorkAnswerKind, number>;
  readonly evictions: ReadonlyMap<EvictionSignal, number>;
  /** The last shutdown of the machine; 0: there was none, or it has not ended. */
  readonly shutdownStartedAt: EpochMs;
  readonly shutdownEndedAt: EpochMs;
}

export interface AgentProcess {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  readonly startedAt: EpochMs;
}

export interface AgentReading {
  readonly nodeName: string;
  readonly counts: AgentCounts;
  readonly process: AgentProcess;
  /** Pods whose containers can run. */
  readonly sandboxes: number;
  readonly containers: readonly RuntimeContainer['state'][];
}

const gauge = (name: string, help: string, samples: readonly MetricSample[]): MetricFamily => ({
  name,
  type: 'gauge',
  help,
  samples,
});

const counter = (name: string, help: string, samples: readonly MetricSample[]): MetricFamily => ({
  name,
  type: 'counter',
  help,
  samples,
});

const one = (value: number): readonly MetricSample[] => [{ value }];

const byLabel = (label: string, values: ReadonlyMap<string, number>): readonly MetricSample[] =>
  [...values].map(([key, value]) => ({ labels: { [label]: key }, value }));

const byState = (states: readonly RuntimeContainer['state'][]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
};

const shutdownTime = (what: 'start' | 'end', at: EpochMs): MetricFamily =>
  gauge(
    `kubelet_graceful_shutdown_${what}_time_seconds`,
    `[ALPHA] Last graceful shutdown ${what} time since unix epoch in seconds`,
    one(at / 1000),
  );

const kubeletMetrics = ({
  nodeName,
  counts,
  sandboxes,
  containers,
}: AgentReading): readonly MetricFamily[] => [
  counter(
    'kubelet_evictions',
    '[ALPHA] Cumulative number of pod evictions by eviction signal',
    byLabel('eviction_signal', counts.evictions),
  ),
  shutdownTime('end', counts.shutdownEndedAt),
  shutdownTime('start', counts.shutdownStartedAt),
  gauge('kubelet_node_name', "[ALPHA] The node's name. The count is always 1.", [
    { labels: { node: nodeName }, value: 1 },
  ]),
  gauge(
    'kubelet_running_containers',
    '[ALPHA] Number of containers currently running',
    byLabel('container_state', byState(containers)),
  ),
  gauge('kubelet_running_pods', '[ALPHA] Number of pods that have a running pod sandbox', one(sandboxes)),
];

const processMetrics = ({ residentBytes, cpuSeconds, startedAt }: AgentProcess): readonly MetricFamily[] => [
  counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', one(cpuSeconds)),
  gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', one(residentBytes)),
  gauge(
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
    one(startedAt / 1000),
  ),
];

/** The families, sorted by name. */
export const agentMetrics = (reading: AgentReading): readonly MetricFamily[] => [
  ...kubeletMetrics(reading),
  ...processMetrics(reading.process),
  counter('rollcall_agent_beats_total', 'Heartbeats that were answered.', one(reading.counts.beats)),
  counter(
    'rollcall_agent_work_requests_total',
    "Requests for pages of the node's work, by what came of them.",
    byLabel('result', reading.counts.workRequests),
  ),
];
