/** The alerts on the metrics of a host. Those that exist as alarms on AWS have the same names. */
import type { LoadedController } from '../lambdas/controllers.ts';

export interface Alert {
  readonly name: string;
  /** The anchor of its section in docs/runbook.md. */
  readonly section: string;
  /** `critical`: nodes or pods are affected, or soon will be. `warning`: somebody has to look today. */
  readonly severity: 'critical' | 'warning';
  readonly expr: string;
  /** How long it must hold, in Prometheus' notation. */
  readonly lasts: string;
  /** One sentence that says what has happened. */
  readonly summary: string;
}

export interface AlertGroup {
  readonly name: string;
  readonly alerts: readonly Alert[];
}

const critical = (name: string, lasts: string, expr: string, summary: string): Alert => ({
  name,
  section: name,
  severity: 'critical',
  expr,
  lasts,
  summary,
});
const warning = (name: string, lasts: string, expr: string, summary: string): Alert => ({
  name,
  section: name,
  severity: 'warning',
  expr,
  lasts,
  summary,
});

/** A request is a beat if it is a renewal, a plain beat, a status of a node, or a batch of a relay. */
const BEATS = [
  'resource="leases",verb=~"update|patch"',
  'resource="nodes",subresource=~"heartbeat|status"',
  'resource="heartbeats"',
];
const failedBeats = BEATS.map(
  (labels) => `(sum(increase(apiserver_request_total{${labels},code=~"5.."}[5m])) or vector(0))`,
).join(' + ');

const FLEET: readonly Alert[] = [
  warning(
    'nodes-unknown',
    '10m',
    'node_collector_silent_nodes > 0',
    '{{ $value }} nodes have stopped sending heartbeats: their Ready condition is Unknown.',
  ),
  critical(
    'zones-disrupted',
    '1m',
    'node_collector_disrupted_zones > 0',
    'Most or all nodes of {{ $value }} zones are not ready. Evictions may be slowed down or stopped there.',
  ),
  warning(
    'relays-silent',
    '10m',
    'node_collector_silent_relays > 0',
    '{{ $value }} relays have sent no batch for minutes: they do not run, or their sites have lost the uplink. See kubectl get relays.',
  ),
  warning(
    'evictions-waiting',
    '30m',
    'node_collector_nodes_waiting_for_eviction > 0',
    '{{ $value }} nodes have been waiting for their NoExecute taint for half an hour.',
  ),
  critical(
    'deadlines-overdue',
    '5m',
    'taint_eviction_controller_oldest_overdue_deadline_seconds >= 150',
    'Pods were not evicted although their deadlines passed {{ $value | humanizeDuration }} ago.',
  ),
  critical(
    'node-monitor-silent',
    '0m',
    'time() - rollcall_last_pass_timestamp_seconds > 300',
    'No pass over the nodes has ended for {{ $value | humanizeDuration }}: silent nodes go unnoticed.',
  ),
  warning(
    'cidrs-exhausted',
    '5m',
    'node_ipam_controller_nodes_waiting > 0',
    '{{ $value }} Nodes wait for a podCIDR, and none is free.',
  ),
];

const REQUESTS: readonly Alert[] = [
  critical(
    'heartbeat-server-errors',
    '5m',
    `${failedBeats} >= 5`,
    'Heartbeats keep being answered with 500 or above.',
  ),
  critical(
    'apiserver-server-errors',
    '5m',
    'sum(increase(apiserver_request_total{code=~"5.."}[5m])) >= 5',
    'Requests keep being answered with 500 or above.',
  ),
  warning(
    'apiserver-throttled',
    '10m',
    'sum(increase(apiserver_flowcontrol_rejected_requests_total[5m])) > 0',
    'Requests are refused because there are too many.',
  ),
];

const MACHINES: readonly Alert[] = [
  warning(
    'cloud-not-believed',
    '5m',
    'increase(cloud_node_controller_missing_not_believed_total[5m]) > 0',
    'The cloud provider does not find machines that are alive, and is not believed.',
  ),
  warning(
    'cloud-unanswered',
    '5m',
    'increase(cloud_node_controller_unanswered_total[5m]) > 0',
    'The cloud provider cannot answer about machines.',
  ),
  critical(
    'fencing-failed',
    '5m',
    'increase(cloud_node_controller_fencing_errors_total[5m]) > 0',
    'The fencing service cannot switch machines off.',
  ),
  warning(
    'volumes-stuck',
    '5m',
    'increase(volume_attacher_operation_errors_total[5m]) > 0',
    'Disks cannot be attached or detached.',
  ),
];

const HOST: readonly Alert[] = [
  critical('host-down', '1m', 'up{job="rollcall"} == 0', 'The host does not answer: beats are not received.'),
  critical(
    'host-disk-full',
    '5m',
    'rollcall_disk_free_bytes < 1e9 or predict_linear(rollcall_disk_free_bytes[1h], 4 * 3600) < 0',
    'The disk of the state is full, or will be within four hours.',
  ),
  warning(
    'host-commits-slow',
    '10m',
    'histogram_quantile(0.99, sum by (le) (rate(rollcall_commit_duration_seconds_bucket[5m]))) > 1',
    'One in a hundred groups of commits takes {{ $value | humanizeDuration }} to be written.',
  ),
  warning(
    'host-busy',
    '10m',
    'nodejs_eventloop_lag_p99_seconds > 0.5',
    'Requests and beats wait {{ $value | humanizeDuration }} for the processor.',
  ),
  warning(
    'host-clock-set',
    '0m',
    'sum(increase(rollcall_clock_steps_total[10m])) > 0',
    'The clock of the host was set while it ran.',
  ),
  warning(
    'host-certificate-expires',
    '1h',
    'rollcall_certificate_expiration_timestamp_seconds - time() < 14 * 86400',
    'The certificate {{ $labels.certificate }} expires in {{ $value | humanizeDuration }}.',
  ),
  warning(
    'change-router-behind',
    '5m',
    'rollcall_changes_waiting > 1000',
    '{{ $value }} committed changes have not reached the controllers.',
  ),
  warning(
    'queues-behind',
    '5m',
    'rollcall_queue_oldest_message_seconds > 120',
    'A message of the queue {{ $labels.queue }} has waited {{ $value | humanizeDuration }}.',
  ),
  warning(
    'event-sink-behind',
    '5m',
    'rollcall_event_sink_oldest_seconds > 600',
    'An event has waited {{ $value | humanizeDuration }} for {{ $labels.sink }}.',
  ),
  warning(
    'event-sink-dropped',
    '0m',
    'sum by (sink) (increase(rollcall_event_sink_dropped_total[10m])) > 0 or sum by (sink) (increase(rollcall_event_sink_deliveries_total{outcome="refused"}[10m])) > 0',
    'Events for {{ $labels.sink }} were dropped or refused.',
  ),
];

const ofController = ({ name, queue }: LoadedController): readonly Alert[] =>
  queue
    ? [
        warning(
          `${name}-errors`,
          '5m',
          `increase(rollcall_message_failures_total{queue="${queue.name}"}[5m]) > 0`,
          `Messages of ${name} keep failing.`,
        ),
        warning(
          `${queue.name}-dead-letters`,
          '0m',
          `rollcall_dead_letters{queue="${queue.name}"} > 0`,
          `{{ $value }} messages of ${name} failed five times.`,
        ),
      ]
    : [];

/** The runbook says of all controllers in one place what their failed messages mean. */
const amongDeadLetters = (alert: Alert): Alert => ({ ...alert, section: 'dead-letters' });

/** All alerts, in the groups in which Prometheus evaluates them. */
export const alertGroups = (controllers: readonly LoadedController[]): readonly AlertGroup[] => [
  { name: 'fleet', alerts: FLEET },
  { name: 'requests', alerts: REQUESTS },
  { name: 'machines', alerts: MACHINES },
  { name: 'host', alerts: HOST },
  { name: 'controllers', alerts: controllers.flatMap(ofController).map(amongDeadLetters) },
];
