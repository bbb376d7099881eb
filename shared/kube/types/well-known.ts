/** Names that Kubernetes defines: labels, taint keys, condition types, users and groups. Source: kubernetes v1.34. */

export const NODE_LEASE_NAMESPACE = 'kube-node-lease';
/** Header of answers about a node's Lease: the `workRevision` of the node. */
export const WORK_REVISION_HEADER = 'rollcall-work-revision';
export const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as const;

/** The cluster IP of the Service `kubernetes`: the first address of Kubernetes' default range for Services. */
export const KUBERNETES_ADDRESS = '10.96.0.1';

export const TAINT_NOT_READY = 'node.kubernetes.io/not-ready';
export const TAINT_UNREACHABLE = 'node.kubernetes.io/unreachable';
export const TAINT_UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
export const TAINT_MEMORY_PRESSURE = 'node.kubernetes.io/memory-pressure';
export const TAINT_DISK_PRESSURE = 'node.kubernetes.io/disk-pressure';
export const TAINT_PID_PRESSURE = 'node.kubernetes.io/pid-pressure';
export const TAINT_NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';
/** Set by whoever knows that the machine is off. */
export const TAINT_OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
export const TAINT_SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
/** Rollcall's own: on a node while its shutdown goes on. */
export const TAINT_SHUTTING_DOWN = 'rollcall.dev/shutting-down';
export const TAINT_UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

export const LABEL_HOSTNAME = 'kubernetes.io/hostname';
export const LABEL_ZONE = 'topology.kubernetes.io/zone';
export const LABEL_REGION = 'topology.kubernetes.io/region';
export const LABEL_ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone';
export const LABEL_REGION_BETA = 'failure-domain.beta.kubernetes.io/region';
export const LABEL_EXCLUDE_DISRUPTION = 'node.kubernetes.io/exclude-disruption';
export const LABEL_INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const LABEL_INSTANCE_TYPE_BETA = 'beta.kubernetes.io/instance-type';
export const LABEL_OS = 'kubernetes.io/os';
export const LABEL_ARCH = 'kubernetes.io/arch';
export const LABEL_OS_BETA = 'beta.kubernetes.io/os';
export const LABEL_ARCH_BETA = 'beta.kubernetes.io/arch';

/** The kubelet's `--node-ip` on a node that waits for its cloud: the cloud must know it, and of its type it is the only address. */
export const ANNOTATION_PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

export const READY = 'Ready';
export const MEMORY_PRESSURE = 'MemoryPressure';
export const DISK_PRESSURE = 'DiskPressure';
export const PID_PRESSURE = 'PIDPressure';
export const NETWORK_UNAVAILABLE = 'NetworkUnavailable';
/** Lifecycle conditions of Nodes. Kubernetes defines the types and no reasons. Source: kubernetes v1.37 `core/v1/types.go`, KEP-5683. */
export const GRACEFUL_SHUTDOWN = 'GracefulNodeShutdownInProgress';
export const DRAIN_IN_PROGRESS = 'DrainInProgress';
export const DRAINED = 'Drained';
export const MAINTENANCE_PLANNED = 'MaintenancePlanned';
export const MAINTENANCE_IN_PROGRESS = 'MaintenanceInProgress';
/** Rollcall's former name of `GracefulNodeShutdownInProgress`. It is written beside it for one release. */
export const SHUTTING_DOWN = 'ShuttingDown';
export const DISRUPTION_TARGET = 'DisruptionTarget';

export const USER_ADMIN = 'kubernetes-admin';
export const GROUP_MASTERS = 'system:masters';
export const GROUP_NODES = 'system:nodes';
/** Members may register their own Node and get its token. */
export const GROUP_BOOTSTRAPPERS = 'system:bootstrappers';
/** Rollcall's own group: members may read every object except Secrets. */
export const GROUP_VIEWERS = 'rollcall:viewers';
/** Rollcall's own group: members may change Nodes and ask for drains. They may read nothing. */
export const GROUP_NODE_OPERATORS = 'rollcall:node-operators';
export const GROUP_AUTHENTICATED = 'system:authenticated';
export const GROUP_UNAUTHENTICATED = 'system:unauthenticated';
export const GROUP_SERVICE_ACCOUNTS = 'system:serviceaccounts';
export const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';
export const USER_ANONYMOUS = 'system:anonymous';
export const NODE_USER_PREFIX = 'system:node:';
/** Relays: each may send batches under its own name, for nodes that have shown it their tokens. */
export const GROUP_RELAYS = 'rollcall:relays';
export const RELAY_USER_PREFIX = 'system:relay:';

/** What a taint does to pods that do not tolerate it. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** The values of the PriorityClasses that every cluster has. */
export const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
