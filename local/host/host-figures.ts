/** The host's figures: Kubernetes' names where it has them. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CHANGE_ROUTER_METRICS } from '../../lambdas/change-router/metrics.ts';
import type { ChangeRouterReport } from '../../lambdas/change-router/reconcile.ts';
import { NODE_EVICTION_METRICS } from '../../lambdas/node-eviction/metrics.ts';
import type { NodeEvictionReport } from '../../lambdas/node-eviction/reconcile.ts';
import { NODE_MONITOR_METRICS } from '../../lambdas/node-monitor/metrics.ts';
import type { reconcile as monitorNodes } from '../../lambdas/node-monitor/reconcile.ts';
import { totalsOf } from '../../lambdas/node-monitor/report.ts';
import { POD_READINESS_METRICS } from '../../lambdas/pod-readiness/metrics.ts';
import { TAINT_EVICTION_METRICS } from '../../lambdas/taint-eviction/metrics.ts';
import type { TaintEvictionReport } from '../../lambdas/taint-eviction/reconcile.ts';
import type { SweepReport } from '../../lambdas/taint-eviction/sweep.ts';
import type { ConnectionCount } from '../serving/connections.ts';
import { createFigures, type Figures } from './prometheus.ts';

type PassReport = Awaited<ReturnType<typeof monitorNodes>>;

// Kubernetes' subsystems, https://kubernetes.io/docs/reference/instrumentation/metrics/.
const MONITOR = (name: keyof typeof NODE_MONITOR_METRICS) => `node_collector_${NODE_MONITOR_METRICS[name]}`;
const EVICTION = (name: keyof typeof NODE_EVICTION_METRICS) =>
  `node_collector_${NODE_EVICTION_METRICS[name]}`;
const PODS = (name: keyof typeof TAINT_EVICTION_METRICS) =>
  `taint_eviction_controller_${TAINT_EVICTION_METRICS[name]}`;

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
const MARKED = `rollcall_${POD_READINESS_METRICS.marked}`;
const CHANGES = `rollcall_${CHANGE_ROUTER_METRICS.changes}`;
const BAD_RECORDS = `rollcall_${CHANGE_ROUTER_METRICS.badRecords}`;
export const MESSAGE_FAILURES = 'rollcall_message_failures_total';
export const DEAD_LETTERS = 'rollcall_dead_letters';

const NAMES = {
  [MONITOR('zoneSize')]: ['gauge', 'Counted nodes per zone.'],
  [MONITOR('zoneHealth')]: ['gauge', 'Percentage of ready nodes per zone.'],
  [MONITOR('unhealthyNodesInZone')]: ['gauge', 'Not ready nodes per zone.'],
  [MONITOR('passDuration')]: ['histogram', 'Seconds of a pass over the health of all nodes.'],
  [MONITOR('flips')]: ['counter', 'Nodes whose Ready became Unknown.'],
  [MONITOR('silentNodes')]: ['gauge', 'Nodes whose Ready was Unknown after the last pass.'],
  [MONITOR('disruptedZones')]: ['gauge', 'Zones in partial or full disruption.'],
  [MONITOR('waitingNodes')]: ['gauge', 'Nodes that wait for a NoExecute taint.'],
  [MONITOR('conflicts')]: ['counter', 'Writes that met a newer object or beat.'],
  [MONITOR('failures')]: ['counter', 'Nodes that a pass could not look at or write.'],
  [EVICTION('evictions')]: ['counter', 'Nodes that got a NoExecute taint, per zone.'],
  [EVICTION('wastedTokens')]: ['counter', 'Tokens taken for a node that then needed no taint.'],
  [PODS('deletions')]: ['counter', 'Pods deleted because of NoExecute taints.'],
  [PODS('deletionDelay')]: ['histogram', 'Seconds between the due instant and the deletion.'],
  [PODS('deadlinesStored')]: ['counter', 'Deadlines stored.'],
  [PODS('deadlinesCleared')]: ['counter', 'Deadlines that no longer held.'],
  [PODS('overdue')]: ['gauge', 'Deadlines that the last sweep found overdue.'],
  [PODS('oldestOverdue')]: ['gauge', 'Seconds by which the oldest deadline was overdue at the last sweep.'],
  [MARKED]: ['counter', 'Pods marked not ready.'],
  [CHANGES]: ['counter', 'Committed changes routed.'],
  [BAD_RECORDS]: ['counter', 'Changes that could not be read.'],
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

/** All figures of a host, none counted yet. */
export const createHostFigures = (): Figures => createFigures(NAMES);

const recordZones = (figures: Figures, zones: Extract<PassReport, { outcome: 'done' }>['zones']): void => {
  const names = ['zoneSize', 'zoneHealth', 'unhealthyNodesInZone'] as const;
  for (const name of names) figures.clear(MONITOR(name));
  for (const { zone, size, health, notReady } of zones) {
    figures.set(MONITOR('zoneSize'), { zone }, size);
    figures.set(MONITOR('zoneHealth'), { zone }, health);
    figures.set(MONITOR('unhealthyNodesInZone'), { zone }, notReady);
  }
};

export const recordPass = (figures: Figures, report: PassReport): void => {
  if (report.outcome === 'skipped') return;
  figures.observe(MONITOR('passDuration'), report.durationMs / 1000);
  figures.set(MONITOR('silentNodes'), {}, report.silent);
  const { disrupted, waiting } = totalsOf(report.zones);
  figures.set(MONITOR('disruptedZones'), {}, disrupted);
  figures.set(MONITOR('waitingNodes'), {}, waiting);
  figures.add(MONITOR('flips'), {}, report.flips);
  figures.add(MONITOR('conflicts'), {}, report.conflicts);
  figures.add(MONITOR('failures'), {}, report.errors.length);
  recordZones(figures, report.zones);
};

export const recordWakeup = (figures: Figures, { outcome, zone }: NodeEvictionReport): void => {
  if (outcome === 'tainted') figures.add(EVICTION('evictions'), { zone });
  if (outcome === 'wasted') figures.add(EVICTION('wastedTokens'), { zone });
};

export const recordEvictions = (figures: Figures, report: TaintEvictionReport): void => {
  for (const pod of report) {
    if (pod.outcome === 'evicted') {
      figures.add(PODS('deletions'));
      figures.observe(PODS('deletionDelay'), pod.lateMs / 1000);
    }
    if (pod.outcome === 'waiting' && pod.isNew) figures.add(PODS('deadlinesStored'));
    if (pod.outcome === 'cleared') figures.add(PODS('deadlinesCleared'));
  }
};

export const recordSweep = (figures: Figures, { overdue, oldestOverdueMs }: SweepReport): void => {
  figures.set(PODS('overdue'), {}, overdue);
  figures.set(PODS('oldestOverdue'), {}, oldestOverdueMs / 1000);
};

export const recordMarked = (figures: Figures, marked: number): void => figures.add(MARKED, {}, marked);

export const recordRouting = (figures: Figures, { changes, badRecords }: ChangeRouterReport): void => {
  figures.add(CHANGES, {}, changes);
  figures.add(BAD_RECORDS, {}, badRecords.length);
};

export const recordConnections = (
  figures: Figures,
  { authenticated, unauthenticated }: ConnectionCount,
): void => {
  figures.set(CONNECTIONS, { state: 'authenticated' }, authenticated);
  figures.set(CONNECTIONS, { state: 'unauthenticated' }, unauthenticated);
};

/** Milliseconds between two looks at the delay of the event loop, which come too late by it. */
const LAG_RESOLUTION_MS = 10;

/** Measures the delay of the event loop; each call records it since the last one. */
export const createLagRecorder = (figures: Figures): (() => void) => {
  const delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delays.enable();
  const seconds = (nanoseconds: number): number =>
    Math.max(0, Math.round(nanoseconds / 1000 - LAG_RESOLUTION_MS * 1000) / 1e6);
  return () => {
    figures.set(LAG, {}, delays.count > 0 ? seconds(delays.percentile(99)) : 0);
    figures.set(LAG_MAX, {}, delays.count > 0 ? seconds(delays.max) : 0);
    delays.reset();
  };
};

/** What is known of the process at the moment of asking. */
export const recordProcess = (figures: Figures, now: number): void => {
  const { user, system } = process.cpuUsage();
  figures.set('process_cpu_seconds_total', {}, (user + system) / 1e6);
  const { rss, heapUsed, external } = process.memoryUsage();
  figures.set('process_resident_memory_bytes', {}, rss);
  figures.set('nodejs_heap_size_used_bytes', {}, heapUsed);
  figures.set('nodejs_external_memory_bytes', {}, external);
  figures.set('process_start_time_seconds', {}, Math.round(now / 1000 - process.uptime()));
};
