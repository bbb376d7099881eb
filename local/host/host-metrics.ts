/** The host's metrics. They have Kubernetes' names where Kubernetes has such a metric. */
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
  [MESSAGE_FAILURES]: ['counter', 'Failed attempts to handle a message, per queue.'],
  [DEAD_LETTERS]: ['gauge', 'Messages in the dead-letter queue because they failed too often, per queue.'],
  [REQUESTS]: ['counter', 'Requests by verb, resource and code.'],
  [REQUEST_SECONDS]: ['histogram', 'Duration of requests in seconds, by verb and resource.'],
  [REJECTED]: ['counter', 'Requests that were refused because there were too many, by level and reason.'],
  [EXECUTING]: ['gauge', 'Requests that are executing, by level.'],
  [WAITING]: ['gauge', 'Requests that wait for a seat, by level.'],
  [LONG_RUNNING]: ['gauge', 'Open watches.'],
  [CONNECTIONS]: ['gauge', 'Open connections, by whether a request on them has had a valid token.'],
  [CLOSED]: ['counter', 'Connections that were closed because of a limit, by reason.'],
  [LAG]: ['gauge', '99th percentile of the event loop delay since the last scrape, in seconds.'],
  [LAG_MAX]: ['gauge', 'Longest event loop delay since the last scrape, in seconds.'],
  nodejs_heap_size_used_bytes: ['gauge', 'Heap in use, including garbage that is not collected yet.'],
  nodejs_external_memory_bytes: ['gauge', 'Memory of buffers outside the heap.'],
  process_cpu_seconds_total: ['counter', 'Processor time of the process.'],
  process_resident_memory_bytes: ['gauge', 'Resident memory of the process.'],
  process_start_time_seconds: ['gauge', 'Start of the process, seconds since 1970.'],
} as const satisfies Record<string, readonly ['counter' | 'gauge' | 'histogram', string]>;

const nameOf = ({ subsystem, name }: Metric): string => `${subsystem}_${name}`;

/** An empty registry with all metrics of a host: those of its controllers (`metrics`), of the change router, and its own. */
export const createHostMetrics = (metrics: readonly Metric[] = []): MetricsRegistry =>
  createMetricsRegistry({
    ...Object.fromEntries(
      [...metrics, ...Object.values(CHANGE_ROUTER_METRICS)].map(
        (metric) => [nameOf(metric), [metric.kind, metric.help]] as const,
      ),
    ),
    ...NAMES,
  });

/** Records the measurements of a run. The samples of a gauge replace all its earlier ones. */
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

/** Records the number of open connections. */
export const recordConnections = (
  metrics: MetricsRegistry,
  { authenticated, unauthenticated }: ConnectionCount,
): void => {
  metrics.set(CONNECTIONS, { state: 'authenticated' }, authenticated);
  metrics.set(CONNECTIONS, { state: 'unauthenticated' }, unauthenticated);
};

/** Interval (ms) of the timer whose lateness is the delay of the event loop. */
const LAG_RESOLUTION_MS = 10;

/** Measures the delay of the event loop. Each call of the result records the delay since the call before. */
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

/** Records memory, processor time and start of this process. `now`: ms. */
export const recordProcess = (metrics: MetricsRegistry, now: number): void => {
  const { user, system } = process.cpuUsage();
  metrics.set('process_cpu_seconds_total', {}, (user + system) / 1e6);
  const { rss, heapUsed, external } = process.memoryUsage();
  metrics.set('process_resident_memory_bytes', {}, rss);
  metrics.set('nodejs_heap_size_used_bytes', {}, heapUsed);
  metrics.set('nodejs_external_memory_bytes', {}, external);
  metrics.set('process_start_time_seconds', {}, Math.round(now / 1000 - process.uptime()));
};
