/** Names of the eviction worker's figures, as in Kubernetes' subsystem `node_collector`. */
export const NODE_EVICTION_METRICS = {
  /** Counter by zone: nodes that got a NoExecute taint. */
  evictions: 'evictions_total',
  /** Counter by zone: tokens taken for a node that then needed no taint. */
  wastedTokens: 'eviction_tokens_wasted_total',
} as const;
