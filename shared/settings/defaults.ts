/** The defaults of the settings. This file imports nothing, so that also the dashboard's page may read it. */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** Each default in the unit that its name says. The flags are those of Kubernetes v1.34. */
export const DEFAULTS = {
  nodeLifecycle: {
    /** kube-controller-manager `--node-monitor-period`. */
    nodeMonitorPeriodMs: 5 * SECOND_MS,
    /** kube-controller-manager `--node-monitor-grace-period` before 1.32, for sooner detection; 50 s since then. */
    nodeMonitorGracePeriodMs: 40 * SECOND_MS,
    /** kube-controller-manager `--node-startup-grace-period`. */
    nodeStartupGracePeriodMs: 60 * SECOND_MS,
    /** kube-controller-manager `--node-eviction-rate`, nodes per second and zone. */
    nodeEvictionRate: 0.1,
    /** kube-controller-manager `--secondary-node-eviction-rate`, nodes per second and zone. */
    secondaryNodeEvictionRate: 0.01,
    /** kube-controller-manager `--large-cluster-size-threshold`, nodes. */
    largeClusterSizeThreshold: 50,
    /** kube-controller-manager `--unhealthy-zone-threshold`, a share. */
    unhealthyZoneThreshold: 0.55,
  },
  /** kube-apiserver `--default-not-ready-toleration-seconds` and `--default-unreachable-toleration-seconds`. */
  defaultTolerationSeconds: 300,
  /** kube-apiserver `--service-cluster-ip-range`, as kubeadm gives it. */
  serviceRanges: ['10.96.0.0/12'],
  /** kube-apiserver `--event-ttl`. */
  eventRetentionMs: HOUR_MS,
  /** kube-controller-manager `--terminated-pod-gc-threshold`, pods. */
  terminatedPodGcThreshold: 12_500,
  /** The kubelet's `nodeStatusUpdateFrequency`, and a quarter of its `nodeLeaseDurationSeconds`. */
  heartbeatIntervalSeconds: 10,
  /** Rollcall's own. */
  heartbeatRetentionMs: 24 * HOUR_MS,
  /** Rollcall's own. */
  fencingDelayMs: 60 * SECOND_MS,
  /** Rollcall's own. */
  maintenanceLeadMs: HOUR_MS,
  /** Rollcall's own, execution environments. */
  heartbeatReservedConcurrency: 50,
  /** Rollcall's own, execution environments. */
  apiserverReservedConcurrency: 50,
  /** Rollcall's own. */
  apiserverMemoryMb: 256,
  /** Rollcall's own. */
  logRetentionDays: 30,
} as const;
