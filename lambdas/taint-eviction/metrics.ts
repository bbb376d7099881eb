/** Names of taint-eviction's figures, as in Kubernetes' subsystem `taint_eviction_controller`. */
export const TAINT_EVICTION_METRICS = {
  deletions: 'pod_deletions_total',
  /** Seconds between the due instant and the deletion. */
  deletionDelay: 'pod_deletion_duration_seconds',
  deadlinesStored: 'deadlines_stored_total',
  deadlinesCleared: 'deadlines_cleared_total',
  /** Deadlines found overdue by a sweep. */
  overdue: 'deadlines_overdue',
  /** Gauge: seconds by which the oldest of them was overdue; 0 where none was. */
  oldestOverdue: 'oldest_overdue_deadline_seconds',
} as const;
