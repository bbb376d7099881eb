/** What `/metrics/resource` tells. Source: kubernetes v1.34 pkg/kubelet/metrics/collectors `resource_metrics.go`. */
import type { MetricLabels } from '../../../shared/kube/text/metric-line.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { MachineUsage } from '../stats/cpu-rates.ts';
import type {
  ContainerStats,
  CpuStats,
  MemoryStats,
  PodStats,
  SteadyMs,
  SwapStats,
} from '../stats/summary.ts';
import type { MetricFamily, MetricSample } from './metric-family.ts';

type WallTime = (time: SteadyMs) => EpochMs;

interface Used {
  readonly labels: MetricLabels;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly swap?: SwapStats;
}

interface Gauge {
  readonly value: number | undefined;
  readonly time: SteadyMs | undefined;
}

const NANO = 1e9;

const seconds = ({ cpu }: Used): Gauge => ({
  value: cpu?.usageCoreNanoSeconds === undefined ? undefined : cpu.usageCoreNanoSeconds / NANO,
  time: cpu?.time,
});
const workingSet = ({ memory }: Used): Gauge => ({ value: memory?.workingSetBytes, time: memory?.time });
const swapped = ({ swap }: Used): Gauge => ({ value: swap?.swapUsageBytes, time: swap?.time });
const swapLimit = ({ swap }: Used): Gauge => ({
  value:
    swap?.swapAvailableBytes === undefined ? undefined : swap.swapAvailableBytes + (swap.swapUsageBytes ?? 0),
  time: swap?.time,
});

const samplesOf = (
  all: readonly Used[],
  gauge: (one: Used) => Gauge,
  wallTime: WallTime,
): readonly MetricSample[] =>
  all.map((one) => {
    const { value, time } = gauge(one);
    return { labels: one.labels, value, at: time === undefined ? undefined : wallTime(time) };
  });

type Row = readonly [name: string, type: MetricFamily['type'], help: string, gauge: (one: Used) => Gauge];

const rowsOf = (what: string): readonly Row[] => [
  [
    `${what}_cpu_usage_seconds_total`,
    'counter',
    `[STABLE] Cumulative cpu time consumed by the ${what} in core-seconds`,
    seconds,
  ],
  [
    `${what}_memory_working_set_bytes`,
    'gauge',
    `[STABLE] Current working set of the ${what} in bytes`,
    workingSet,
  ],
  [
    `${what}_swap_usage_bytes`,
    'gauge',
    what === 'node'
      ? '[ALPHA] Current swap usage of the node in bytes. Reported only on non-windows systems'
      : `[ALPHA] Current amount of the ${what} swap usage in bytes. Reported only on non-windows systems`,
    swapped,
  ],
];

const LIMIT: Row = [
  'container_swap_limit_bytes',
  'gauge',
  '[ALPHA] Current amount of the container swap limit in bytes. Reported only on non-windows systems',
  swapLimit,
];

const labelsOf = ({ podRef: { name, namespace } }: PodStats): MetricLabels => ({ namespace, pod: name });

const withLabels = (pod: PodStats, { name, ...stats }: ContainerStats): Used => ({
  ...stats,
  labels: { container: name, ...labelsOf(pod) },
});

const startTimes = (pods: readonly PodStats[]): MetricFamily => ({
  name: 'container_start_time_seconds',
  type: 'gauge',
  help: '[STABLE] Start time of the container since unix epoch in seconds',
  samples: pods.flatMap((pod) =>
    (pod.containers ?? []).map(({ name, startedAt }) => ({
      labels: { container: name, ...labelsOf(pod) },
      value: startedAt === undefined ? undefined : startedAt / 1000,
    })),
  ),
});

const scrapeError = (value: 0 | 1): MetricFamily => ({
  name: 'resource_scrape_error',
  type: 'gauge',
  help: '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
  samples: [{ value }],
});

/** `undefined`: nothing could be measured. */
export const resourceMetrics = (
  usage: MachineUsage | undefined,
  wallTime: WallTime,
): readonly MetricFamily[] => {
  if (!usage) return [scrapeError(1)];
  const { node, pods } = usage;
  const families = (rows: readonly Row[], all: readonly Used[]): readonly MetricFamily[] =>
    rows.map(([name, type, help, gauge]) => ({
      name,
      type,
      help,
      samples: samplesOf(all, gauge, wallTime),
    }));
  const containers = pods.flatMap((pod) => (pod.containers ?? []).map((one) => withLabels(pod, one)));
  return [
    ...families([...rowsOf('container'), LIMIT], containers),
    startTimes(pods),
    ...families(rowsOf('node'), [{ ...node, labels: {} }]),
    ...families(
      rowsOf('pod'),
      pods.map((pod) => ({ ...pod, labels: labelsOf(pod) })),
    ),
    scrapeError(0),
  ];
};
