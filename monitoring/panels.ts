/** What a dashboard asks, row by row. Where a panel stands, and its id, follow from its place in this list. */

export type Unit = 'short' | 's' | 'percent' | 'percentunit' | 'bytes' | 'reqps' | 'ops' | 'dateTimeAsIso';

/** A PromQL expression and the name of its lines, with labels in `{{ }}`. */
export type Query = readonly [expr: string, legend: string];

export interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat' | 'table';
  readonly unit: Unit;
  readonly queries: readonly Query[];
  readonly description?: string;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const of =
  (kind: Panel['kind']) =>
  (title: string, unit: Unit, queries: readonly Query[], description?: string): Panel => ({
    kind,
    title,
    unit,
    queries,
    ...(description === undefined ? {} : { description }),
  });
const [lines, stat, table] = [of('timeseries'), of('stat'), of('table')];

const IN_ZONE = 'zone=~"$zone"';
const BEATS = 'resource=~"leases|heartbeats",verb=~"update|patch|create"';
const PLAIN_BEATS = 'resource="nodes",subresource=~"heartbeat|status"';

const rateOf = (series: string): string => `rate(${series}[$__rate_interval])`;
const quantile = (share: number, bucket: string, by = 'le'): string =>
  `histogram_quantile(${share}, sum by (${by}) (${rateOf(bucket)}))`;

export const ROWS: readonly Row[] = [
  {
    title: 'Who answers?',
    panels: [
      stat('Nodes ready', 'short', [[`sum(rollcall_nodes{${IN_ZONE},ready="True"})`, 'ready']]),
      stat('Nodes Unknown', 'short', [
        [`sum(rollcall_nodes{${IN_ZONE},ready="Unknown"}) or vector(0)`, 'Unknown'],
      ]),
      stat('Zones disrupted', 'short', [['node_collector_disrupted_zones', 'zones']]),
      lines('Nodes by status', 'short', [[`sum by (ready) (rollcall_nodes{${IN_ZONE}})`, '{{ready}}']]),
      lines('Ready nodes of each zone', 'percent', [[`node_collector_zone_health{${IN_ZONE}}`, '{{zone}}']]),
      lines(
        'From the last beat to Unknown',
        's',
        [
          [quantile(0.5, 'rollcall_node_silence_before_unknown_seconds_bucket'), 'half'],
          [quantile(0.99, 'rollcall_node_silence_before_unknown_seconds_bucket'), '99 %'],
        ],
        'The grace period, and at most one period of passes.',
      ),
      lines('Sites', 'short', [
        ['node_collector_silent_relays', 'relays silent'],
        ['node_collector_nodes_cut_off', 'nodes cut off'],
      ]),
      lines('Nodes that become Unknown', 'ops', [[rateOf('node_collector_node_flips_total'), 'per second']]),
    ],
  },
  {
    title: 'Which zone burns, and how long will it take?',
    panels: [
      table('State of zones', 'short', [[`rollcall_zone_state{${IN_ZONE}}`, '{{zone}} {{state}}']]),
      lines('Nodes that may be emptied per second', 'ops', [
        [`rollcall_zone_eviction_rate{${IN_ZONE}}`, '{{zone}}'],
      ]),
      lines('Next token', 's', [[`rollcall_zone_next_eviction_seconds{${IN_ZONE}}`, '{{zone}}']]),
      lines('Nodes that wait for their taint', 'short', [
        [`rollcall_zone_nodes_waiting{${IN_ZONE}}`, '{{zone}}'],
      ]),
      lines('Time to the end of the line', 's', [
        [`rollcall_zone_waiting_line_seconds{${IN_ZONE}}`, '{{zone}}'],
      ]),
      lines('Taints and wasted tokens', 'ops', [
        [`sum by (zone) (${rateOf(`node_collector_evictions_total{${IN_ZONE}}`)})`, '{{zone}} tainted'],
        [
          `sum by (zone) (${rateOf(`node_collector_eviction_tokens_wasted_total{${IN_ZONE}}`)})`,
          '{{zone}} wasted',
        ],
      ]),
    ],
  },
  {
    title: 'Which pods go, and why?',
    panels: [
      lines('Pods deleted', 'ops', [
        [rateOf('taint_eviction_controller_pod_deletions_total'), 'taint'],
        [`sum by (reason) (${rateOf('pod_gc_collector_force_delete_pods_total')})`, 'by force: {{reason}}'],
        [`sum by (result) (${rateOf('drain_controller_evictions_total')})`, 'drain: {{result}}'],
      ]),
      lines('Deletions after their deadline', 's', [
        [quantile(0.5, 'taint_eviction_controller_pod_deletion_duration_seconds_bucket'), 'half'],
        [quantile(0.99, 'taint_eviction_controller_pod_deletion_duration_seconds_bucket'), '99 %'],
      ]),
      lines('Overdue deadlines', 's', [
        ['taint_eviction_controller_oldest_overdue_deadline_seconds', 'oldest'],
      ]),
      lines('Evictions that clients ask for', 'reqps', [
        [
          `sum by (code) (${rateOf('apiserver_request_total{resource="pods",subresource="eviction"}')})`,
          '{{code}}',
        ],
      ]),
      lines('Nodes that are drained', 'short', [['drain_controller_draining_nodes', 'draining']]),
      lines('Pods that wait for a node', 'short', [['sum by (queue) (scheduler_pending_pods)', '{{queue}}']]),
    ],
  },
  {
    title: 'Do beats arrive, and are requests answered?',
    panels: [
      lines('Beats', 'reqps', [
        [`sum(${rateOf(`apiserver_request_total{${BEATS},code=~"2.."}`)})`, 'renewals and batches'],
        [`sum(${rateOf(`apiserver_request_total{${PLAIN_BEATS},code=~"2.."}`)})`, 'plain beats and statuses'],
      ]),
      lines('Beats refused', 'reqps', [
        [`sum by (code) (${rateOf(`apiserver_request_total{${BEATS},code!~"2.."}`)})`, '{{code}}'],
        [
          `sum by (code) (${rateOf(`apiserver_request_total{${PLAIN_BEATS},code!~"2.."}`)})`,
          'plain: {{code}}',
        ],
      ]),
      lines('Requests by verb, 99 %', 's', [
        [quantile(0.99, 'apiserver_request_duration_seconds_bucket{verb!="watch"}', 'le, verb'), '{{verb}}'],
      ]),
      lines('Errors', 'reqps', [
        [`sum by (code) (${rateOf('apiserver_request_total{code=~"[45].."}')})`, '{{code}}'],
      ]),
      lines('Watches, streams, sessions, connections', 'short', [
        ['apiserver_longrunning_requests', 'watches and streams'],
        ['rollcall_node_sessions', 'sessions with nodes'],
        ['sum by (state) (rollcall_connections)', 'connections: {{state}}'],
      ]),
      lines('Refused because there were too many', 'reqps', [
        [
          `sum by (priority_level, reason) (${rateOf('apiserver_flowcontrol_rejected_requests_total')})`,
          '{{priority_level}} {{reason}}',
        ],
      ]),
    ],
  },
  {
    title: 'Do the controllers keep up?',
    panels: [
      lines('Since the last pass', 's', [['time() - rollcall_last_pass_timestamp_seconds', 'seconds']]),
      lines('Duration of passes', 's', [
        [quantile(0.99, 'node_collector_update_all_nodes_health_duration_seconds_bucket'), '99 %'],
      ]),
      lines('Oldest message of each queue', 's', [
        ['rollcall_queue_oldest_message_seconds > 0', '{{queue}}'],
      ]),
      lines('Commits', 'ops', [[`sum by (outcome) (${rateOf('rollcall_commits_total')})`, '{{outcome}}']]),
      lines('Groups of commits', 's', [
        [quantile(0.5, 'rollcall_commit_duration_seconds_bucket'), 'half'],
        [quantile(0.99, 'rollcall_commit_duration_seconds_bucket'), '99 %'],
      ]),
      lines('Changes that wait', 'short', [['rollcall_changes_waiting', 'changes']]),
      lines('Failed messages', 'ops', [
        [`sum by (queue) (${rateOf('rollcall_message_failures_total')}) > 0`, '{{queue}}'],
      ]),
      lines('Dead letters', 'short', [['sum by (queue) (rollcall_dead_letters) > 0', '{{queue}}']]),
    ],
  },
  {
    title: 'Is the host well?',
    panels: [
      lines('Processor', 'percentunit', [[rateOf('process_cpu_seconds_total'), 'cores']]),
      lines('Memory', 'bytes', [
        ['process_resident_memory_bytes', 'resident'],
        ['nodejs_heap_size_used_bytes', 'heap'],
      ]),
      lines('Delay of the event loop', 's', [
        ['nodejs_eventloop_lag_p99_seconds', '99 %'],
        ['nodejs_eventloop_lag_max_seconds', 'longest'],
      ]),
      lines('Databases and free disk', 'bytes', [
        ['rollcall_database_bytes', '{{database}}'],
        ['rollcall_disk_free_bytes', 'free'],
      ]),
      lines('Clock and absences', 's', [
        ['increase(rollcall_clock_step_seconds_total[$__rate_interval])', 'set {{direction}}'],
        ['increase(rollcall_absent_seconds_total[$__rate_interval])', 'away'],
        ['node_collector_clock_ahead_seconds', 'beats ahead'],
      ]),
      stat('Certificates expire in', 's', [
        ['rollcall_certificate_expiration_timestamp_seconds - time()', '{{certificate}}'],
      ]),
    ],
  },
];
