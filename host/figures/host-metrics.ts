/** The host's metrics. They have Kubernetes' names where Kubernetes has such a metric. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CHANGE_ROUTER_METRICS } from '../../lambdas/change-router/metrics.ts';
import type { Measurement, Metric } from '../../shared/ports/process/metrics.ts';
import type { ConnectionCount } from '../../shared/serving/http/connections.ts';
import {
  createMetricsRegistry,
  type Definition,
  type MetricsRegistry,
} from '../../shared/serving/http/prometheus.ts';
import { SINK_SERIES } from '../notifications/start.ts';
import { FLEET_SERIES } from './fleet-series.ts';
import { PRESENCE_SERIES } from './presence-series.ts';
import { STORE_SERIES } from './store-series.ts';
import { ZONE_SERIES } from './zone-series.ts';

export const REQUESTS = 'apiserver_request_total';
export const REQUEST_SECONDS = 'apiserver_request_duration_seconds';
export const REJECTED = 'apiserver_flowcontrol_rejected_requests_total';
export const EXECUTING = 'apiserver_flowcontrol_current_executing_seats';
export const WAITING = 'apiserver_flowcontrol_current_inqueue_requests';
export const LONG_RUNNING = 'apiserver_longrunning_requests';
const CONNECTIONS = 'rollcall_connections';
export const CLOSED = 'rollcall_connections_closed_total';
export const SESSIONS = 'rollcall_node_sessions';
export const SESSION_FAILURES = 'rollcall_node_session_failures_total';
const LAG = 'nodejs_eventloop_lag_p99_seconds';
const LAG_MAX = 'nodejs_eventloop_lag_max_seconds';
export const MESSAGE_FAILURES = 'rollcall_message_failures_total';
export const DEAD_LETTERS = 'rollcall_dead_letters';
export const SPANS_EXPORTED = 'rollcall_trace_spans_exported_total';
export const SPANS_DROPPED = 'rollcall_trace_spans_dropped_total';

const OWN_SERIES: Readonly<Record<string, Definition>> = {
  [SPANS_EXPORTED]: { kind: 'counter', help: 'Spans that the collector of traces has taken.' },
  [SPANS_DROPPED]: {
    kind: 'counter',
    help: 'Spans that were dropped, by reason: queue-full, refused, stopped.',
    labels: ['reason'],
  },
  [MESSAGE_FAILURES]: {
    kind: 'counter',
    help: 'Failed attempts to handle a message, per queue.',
    labels: ['queue'],
  },
  [DEAD_LETTERS]: {
    kind: 'gauge',
    help: 'Messages in the dead-letter queue because they failed too often, per queue.',
    labels: ['queue'],
  },
  [REQUESTS]: {
    kind: 'counter',
    help: 'Requests by verb, resource and code.',
    labels: ['verb', 'resource', 'subresource', 'code'],
  },
  [REQUEST_SECONDS]: {
    kind: 'histogram',
    help: 'Duration of requests in seconds, by verb and resource.',
    labels: ['verb', 'resource', 'subresource'],
  },
  [REJECTED]: {
    kind: 'counter',
    help: 'Requests that were refused because there were too many, by level and reason.',
    labels: ['priority_level', 'reason'],
  },
  [EXECUTING]: { kind: 'gauge', help: 'Requests that are executing, by level.', labels: ['priority_level'] },
  [WAITING]: { kind: 'gauge', help: 'Requests that wait for a seat, by level.', labels: ['priority_level'] },
  [LONG_RUNNING]: { kind: 'gauge', help: 'Open watches, and streams with nodes.' },
  [SESSIONS]: { kind: 'gauge', help: 'Open sessions with nodes: logs, exec, attach, port-forward.' },
  [SESSION_FAILURES]: {
    kind: 'counter',
    help: 'Sessions with nodes that could not be opened, by code.',
    labels: ['code'],
  },
  [CONNECTIONS]: {
    kind: 'gauge',
    help: 'Open connections, by whether a request on them has had a valid token.',
    labels: ['state'],
  },
  [CLOSED]: {
    kind: 'counter',
    help: 'Connections that were closed because of a limit, by reason.',
    labels: ['reason'],
  },
  [LAG]: {
    kind: 'gauge',
    help: '99th percentile of the event loop delay since the last scrape, in seconds.',
  },
  [LAG_MAX]: { kind: 'gauge', help: 'Longest event loop delay since the last scrape, in seconds.' },
  nodejs_heap_size_used_bytes: {
    kind: 'gauge',
    help: 'Heap in use, including garbage that is not collected yet.',
  },
  nodejs_external_memory_bytes: { kind: 'gauge', help: 'Memory of buffers outside the heap.' },
  process_cpu_seconds_total: { kind: 'counter', help: 'Processor time of the process.' },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Resident memory of the process.' },
  process_start_time_seconds: { kind: 'gauge', help: 'Start of the process, seconds since 1970.' },
};

const nameOf = ({ subsystem, name }: Metric): string => `${subsystem}_${name}`;

/** All series of a host: those of its controllers (`metrics`), of the change router, and its own. */
export const hostSeries = (metrics: readonly Metric[] = []): Readonly<Record<string, Definition>> => ({
  ...Object.fromEntries(
    [...metrics, ...Object.values(CHANGE_ROUTER_METRICS)].map((metric) => [nameOf(metric), metric] as const),
  ),
  ...FLEET_SERIES,
  ...ZONE_SERIES,
  ...STORE_SERIES,
  ...PRESENCE_SERIES,
  ...SINK_SERIES,
  ...OWN_SERIES,
});

/** An empty registry with all series of a host. */
export const createHostMetrics = (metrics: readonly Metric[] = []): MetricsRegistry =>
  createMetricsRegistry(hostSeries(metrics));

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
