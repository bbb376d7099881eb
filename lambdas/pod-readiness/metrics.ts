/** Names of pod-readiness' figures. */
export const POD_READINESS_METRICS = {
  /** Pods marked not ready. */
  marked: 'pods_marked_not_ready_total',
} as const;
