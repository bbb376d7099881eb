/** The host's metrics: Kubernetes' names where it has them. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CHANGE_ROUTER_METRICS } from '../../lambdas/change-router/metrics.ts';
import type { Measurement, Metric } from '../../shared/ports/metrics.ts';
import type { ConnectionCount } from '../serving/connections.ts';
import { createMetricsRegistry, type MetricsRegistry } from './prometheus.ts';

export const REQUESTS = 'apiserver_request_total';
export const REQUEST_SECONDS = 'apiserver_request_duration_seconds';
export const REJECTED = 'apiserver_flowcontrol_rejected_requests_total';
export const EXECUTING = 'apiserver_flowcontrol_current_executing_seats';
export const WAITING = 'apiserver_flowcontrol_current_inqueue_requests';
export const LONG_RUNNING = 'apiserver_longrunning_requests';
const CONNECTIONS = 'rollcall_connections';
export const CLOSED = 'rollcall_connections_closed_total';
const LAG = 'nodejs_eventloop_lag_p99_seconds';
const LAG_MAX = 'nodejs_eventloop_lag_max_seconds';
export const MESSAGE_FAILURES = 'rollcall_message_failures_total';
export const DEAD_LETTERS = 'rollcall_dead_letters';

const NAMES = {
  [MESSAGE_FAILURES]: ['counter', 'Messages that failed and come again, per queue.'],
  [DEAD_LETTERS]: ['gauge', 'Messages that failed too often, per queue.'],
  [REQUESTS]: ['counter', 'Requests by verb, resource and code.'],
  [REQUEST_SECONDS]: ['histogram', 'Seconds of a request by verb.'],
  [REJECTED]: ['counter', 'Requests that were refused because there were too many, by level and reason.'],
  [EXECUTING]: ['gauge', 'Requests that are worked on, by level.'],
  [WAITING]: ['gauge', 'Requests that wait for a seat, by level.'],
  [LONG_RUNNING]: ['gauge', 'Watches that are open.'],
  [CONNECTIONS]: ['gauge', 'Open connections, by whether somebody has shown a valid token on them.'],
  [CLOSED]: ['counter', 'Connections that were closed because of a limit, by reason.'],
  [LAG]: ['gauge', '99th percentile of the delay of the event loop since the last look, in seconds.'],
  [LAG_MAX]: ['gauge', 'Longest delay of the event loop since the last look, in seconds.'],
  nodejs_heap_size_used_bytes: ['gauge', 'Heap in use, with what is no longer needed and not collected yet.'],
  nodejs_external_memory_bytes: ['gauge', 'Memory of buffers outside of the heap.'],
  process_cpu_seconds_total: ['counter', 'Processor time of the process.'],
  process_resident_memory_bytes: ['gauge', 'Resident memory of the process.'],
  process_start_time_seconds: ['gauge', 'Start of the process, seconds since 1970.'],
} as const satisfies Record<string, readonly ['counter' | 'gauge' | 'histogram', string]>;

const nameOf = ({ subsystem, name }: Metric): string => `${subsystem}_${name}`;

/** All metrics of a host, none counted yet: the metrics of its controllers, by Kubernetes' names where it has them, and its own. */
export const createHostMetrics = (metrics: readonly Metric[] = []): MetricsRegistry =>
  createMetricsRegistry({
    ...Object.fromEntries(
      [...metrics, ...Object.values(CHANGE_ROUTER_METRICS)].map(
        (metric) => [nameOf(metric), [metric.kind, metric.help]] as const,
      ),
    ),
    ...NAMES,
  });

/** Counts, sets and observes what a run measured. The samples of a gauge replace the earlier ones. */
export const recordMeasurements = (metrics: MetricsRegistry, measurements: readonly Measurement[]): void => {
  for (const { metric, samples } of measurements) {
    const name = nameOf(metric);
    if (metric.kind === 'gauge') metrics.clear(name);
    for (const { value, labels = {} } of samples)
      if (metric.kind === 'gauge') metrics.set(name, labels, value);
      else if (metric.kind === 'counter') metrics.add(name, labels, value);
      else metrics.observe(name, value, labels);
  }
};

export const recordConnections = (
  metrics: MetricsRegistry,
  { authenticated, unauthenticated }: ConnectionCount,
): void => {
  metrics.set(CONNECTIONS, { state: 'authenticated' }, authenticated);
  metrics.set(CONNECTIONS, { state: 'unauthenticated' }, unauthenticated);
};

/** Milliseconds between two looks at the delay of the event loop, which come too late by it. */
const LAG_RESOLUTION_MS = 10;

/** Measures the delay of the event loop; each call records it since the last one. */
export const createLagRecorder = (metrics: MetricsRegistry): (() => void) => {
  const delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delays.enable();
  const seconds = (nanoseconds: number): number =>
    Math.max(0, Math.round(nanoseconds / 1000 - LAG_RESOLUTION_MS * 1000) / 1e6);
  return () => {
    metrics.set(LAG, {}, delays.count > 0 ? seconds(delays.percentile(99)) : 0);
    metrics.set(LAG_MAX, {}, delays.count > 0 ? seconds(delays.max) : 0);
    delays.reset();
  };
};

/** What is known of the process at the moment of asking. */
export const recordProcess = (metrics: MetricsRegistry, now: number): void => {
  const { user, system } = process.cpuUsage();
  metrics.set('process_cpu_seconds_total', {}, (user + system) / 1e6);
  const { rss, heapUsed, external } = process.memoryUsage();
  metrics.set('process_resident_memory_bytes', {}, rss);
  metrics.set('nodejs_heap_size_used_bytes', {}, heapUsed);
  metrics.set('nodejs_external_memory_bytes', {}, external);
  metrics.set('process_start_time_seconds', {}, Math.round(now / 1000 - process.uptime()));
};
