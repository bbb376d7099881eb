/** Names of the node monitor's figures: those of Kubernetes' subsystem `node_collector` where it has them. */
export const NODE_MONITOR_METRICS = {
  /** Gauge by zone: counted nodes. */
  zoneSize: 'zone_size',
  /** Gauge by zone: percent of the counted nodes that are ready. */
  zoneHealth: 'zone_health',
  /** Gauge by zone. */
  unhealthyNodesInZone: 'unhealthy_nodes_in_zone',
  /** Seconds of a whole pass. */
  passDuration: 'update_all_nodes_health_duration_seconds',
  /** Nodes whose Ready the pass made Unknown. */
  flips: 'node_flips_total',
  /** Gauge: nodes whose Ready is Unknown when the pass ends. */
  silentNodes: 'silent_nodes',
  /** Gauge: zones in partial or full disruption. */
  disruptedZones: 'disrupted_zones',
  /** Gauge: nodes that wait for a NoExecute taint. */
  waitingNodes: 'nodes_waiting_for_eviction',
  /** Writes that met a newer object or a newer beat: decided again by the next pass. */
  conflicts: 'node_write_conflicts_total',
  /** Nodes that the pass could not look at or write. */
  failures: 'node_write_failures_total',
} as const;
