/** A group of metrics: those that answer one question of an operator. */
export interface MetricGroup {
  readonly question: string;
  /** What the table does not say, in Markdown. */
  readonly note?: string;
  /** Names of series, or their beginnings with a `*` behind. A name goes before a beginning, an earlier group before a later. */
  readonly series: readonly string[];
}

/** The groups, in the order of the page. */
export const METRIC_GROUPS: readonly MetricGroup[] = [
  {
    question: 'How many nodes are in which state, and how soon is silence noticed?',
    note: 'A node counts in `rollcall_nodes` also if it has the label that excludes it from the statistics of its zone; in `node_collector_zone_size` it does not. A node is `Unknown` after the grace period (40 s) and at most one period of passes (5 s): `rollcall_node_silence_before_unknown_seconds` shows what it was.',
    series: [
      'rollcall_nodes',
      'rollcall_node_silence_before_unknown_seconds',
      'rollcall_grace_seconds',
      'node_collector_zone_*',
      'node_collector_unhealthy_nodes_in_zone',
      'node_collector_node_flips_total',
      'node_collector_silent_*',
      'node_collector_nodes_held_back',
      'node_collector_nodes_cut_off',
    ],
  },
  {
    question: 'How fast are zones emptied, and how long will it take?',
    note: 'At the rate 0 the next token and the end of the line are `+Inf` seconds away.',
    series: [
      'rollcall_zone_*',
      'node_collector_disrupted_zones',
      'node_collector_nodes_waiting_for_eviction',
      'node_collector_eviction*',
    ],
  },
  {
    question: 'Which pods were deleted, and why?',
    note: 'Evictions that clients ask for are requests: `apiserver_request_total{resource="pods",subresource="eviction"}` has their codes, and 429 is a budget that refuses.',
    series: [
      'taint_eviction_controller_*',
      'drain_controller_*',
      'hold_controller_*',
      'pod_gc_collector_*',
      'rollcall_pods_marked_*',
    ],
  },
  {
    question: 'Do beats arrive, and how are requests answered?',
    note: 'Beats are requests as all others: renewals are `verb=~"update|patch",resource="leases"`, plain beats `resource="nodes",subresource="heartbeat"`, batches of relays `resource="heartbeats"`. A refused beat has a code of 400 or above. Watches and streams are long running and count in `apiserver_request_total` when they begin.',
    series: ['apiserver_*', 'rollcall_connections*', 'rollcall_node_session*'],
  },
  {
    question: 'Does the monitor run, and does the clock?',
    note: '`node_collector_future_beats_total` and `node_collector_clock_ahead_seconds` are about instants that are ahead of the clock; `rollcall_clock_*` and `rollcall_abs*` about a clock that was set and a host that was away.',
    series: ['rollcall_last_pass_timestamp_seconds', 'node_collector_*', 'rollcall_clock_*', 'rollcall_abs*'],
  },
  {
    question: 'Does anything wait, and does the disk keep up?',
    note: 'A commit is `committed`, or refused because something had changed. A group of commits shares one sync of the disk, so `rollcall_commit_duration_seconds` counts groups. A message that is not due yet, or in work, does not count in `rollcall_queue_*`.',
    series: [
      'rollcall_commit*',
      'rollcall_queue_*',
      'rollcall_message_failures_total',
      'rollcall_dead_letters',
      'rollcall_changes_*',
      'rollcall_bad_records_total',
      'rollcall_database_bytes',
      'rollcall_disk_free_bytes',
    ],
  },
  {
    question: 'Do other systems hear what happens?',
    note: '`sink` is the host name of a URL, or the name of a command, with a hash ([events](../events.md)).',
    series: ['rollcall_event_sink_*'],
  },
  {
    question: 'Is the process well?',
    series: [
      'rollcall_certificate_expiration_timestamp_seconds',
      'process_*',
      'nodejs_*',
      'rollcall_trace_*',
    ],
  },
  {
    question: 'Are pods placed, and is the room counted right?',
    series: ['scheduler_*', 'rollcall_claims_*', 'rollcall_capacity_*', 'disruption_controller_*'],
  },
  {
    question: 'What do the controllers of workloads, addresses, volumes and machines do?',
    series: [
      'node_ipam_controller_*',
      'garbagecollector_controller_*',
      'namespace_controller_*',
      'replicaset_controller_*',
      'statefulset_controller_*',
      'deployment_controller_*',
      'daemonset_controller_*',
      'job_controller_*',
      'pv_collector_*',
      'attach_detach_controller_*',
      'volume_attacher_*',
      'cloud_node_controller_*',
    ],
  },
];
