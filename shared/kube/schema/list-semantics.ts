/**
 * How patches treat lists, maps and structs that are not merged field by field.
 * Source: kubernetes v1.34 `types.go`, the markers patchStrategy, patchMergeKey, listType, listMapKey, mapType, structType.
 */

/**
 * How a list is merged. Without `patchMergeKey` a strategic merge replaces it; without `mapKeys` apply gives it one
 * owner.
 */
export interface ListSemantics {
  /** Strategic merge: elements are merged by this field; `''` means a set of primitive values. */
  readonly patchMergeKey?: string;
  /** Clients send `$retainKeys` with the fields that an element keeps. The server accepts it in any map. */
  readonly retainKeys?: boolean;
  /** Apply: the fields that identify an element; `[]` means a set of primitive values. */
  readonly mapKeys?: readonly string[];
}

const merged = (key: string): ListSemantics => ({ patchMergeKey: key, mapKeys: [key] });
/** Strategic merge merges the list by `key`, apply gives it one owner. */
const mergedOnly = (key: string): ListSemantics => ({ patchMergeKey: key });
const mapped = (...mapKeys: readonly string[]): ListSemantics => ({ mapKeys });
const MERGED_SET: ListSemantics = { patchMergeKey: '', mapKeys: [] };

/** By message and field. A list that is not here is replaced as a whole. */
export const LIST_SEMANTICS: Readonly<Record<string, ListSemantics>> = {
  'apis.meta.v1.ObjectMeta.finalizers': MERGED_SET,
  'apis.meta.v1.ObjectMeta.ownerReferences': merged('uid'),
  'apps.v1.DaemonSetStatus.conditions': merged('type'),
  'apps.v1.DeploymentStatus.conditions': merged('type'),
  'apps.v1.ReplicaSetStatus.conditions': merged('type'),
  'apps.v1.StatefulSetStatus.conditions': merged('type'),
  'batch.v1.JobStatus.conditions': mergedOnly('type'),
  'batch.v1.PodFailurePolicyOnExitCodesRequirement.values': mapped(),
  'batch.v1.UncountedTerminatedPods.failed': mapped(),
  'batch.v1.UncountedTerminatedPods.succeeded': mapped(),
  'core.v1.Container.env': merged('name'),
  'core.v1.Container.ports': { patchMergeKey: 'containerPort', mapKeys: ['containerPort', 'protocol'] },
  'core.v1.Container.volumeDevices': merged('devicePath'),
  'core.v1.Container.volumeMounts': merged('mountPath'),
  'core.v1.ContainerStatus.volumeMounts': merged('mountPath'),
  'core.v1.EphemeralContainerCommon.env': merged('name'),
  'core.v1.EphemeralContainerCommon.ports': {
    patchMergeKey: 'containerPort',
    mapKeys: ['containerPort', 'protocol'],
  },
  'core.v1.EphemeralContainerCommon.volumeDevices': merged('devicePath'),
  'core.v1.EphemeralContainerCommon.volumeMounts': merged('mountPath'),
  'core.v1.NamespaceStatus.conditions': merged('type'),
  'core.v1.NodeSpec.podCIDRs': MERGED_SET,
  'core.v1.NodeStatus.addresses': merged('type'),
  'core.v1.NodeStatus.conditions': merged('type'),
  'core.v1.PersistentVolumeClaimStatus.conditions': merged('type'),
  'core.v1.PodSpec.containers': merged('name'),
  'core.v1.PodSpec.ephemeralContainers': merged('name'),
  'core.v1.PodSpec.hostAliases': merged('ip'),
  'core.v1.PodSpec.imagePullSecrets': merged('name'),
  'core.v1.PodSpec.initContainers': merged('name'),
  'core.v1.PodSpec.resourceClaims': { ...merged('name'), retainKeys: true },
  'core.v1.PodSpec.schedulingGates': merged('name'),
  'core.v1.PodSpec.topologySpreadConstraints': {
    patchMergeKey: 'topologyKey',
    mapKeys: ['topologyKey', 'whenUnsatisfiable'],
  },
  'core.v1.PodSpec.volumes': { ...merged('name'), retainKeys: true },
  'core.v1.PodStatus.conditions': merged('type'),
  'core.v1.PodStatus.hostIPs': mergedOnly('ip'),
  'core.v1.PodStatus.podIPs': merged('ip'),
  'core.v1.PodStatus.resourceClaimStatuses': { ...merged('name'), retainKeys: true },
  'core.v1.ReplicationControllerStatus.conditions': merged('type'),
  'core.v1.ResourceRequirements.claims': mapped('name'),
  'core.v1.ServiceAccount.secrets': merged('name'),
  'core.v1.ServiceSpec.ports': { patchMergeKey: 'port', mapKeys: ['port', 'protocol'] },
  'core.v1.ServiceStatus.conditions': merged('type'),
  'discovery.v1.Endpoint.addresses': mapped(),
  'policy.v1.PodDisruptionBudgetStatus.conditions': merged('type'),
  'resource.v1.AllocatedDeviceStatus.conditions': mapped('type'),
  'resource.v1.ResourceClaimStatus.devices': mapped('driver', 'device', 'pool', 'shareID'),
  'resource.v1.ResourceClaimStatus.reservedFor': merged('uid'),
  'storage.v1.CSIDriverSpec.volumeLifecycleModes': mapped(),
  'storage.v1.CSINodeSpec.drivers': merged('name'),
};

/** Messages and maps that apply treats as one field with one owner. */
export const ATOMIC: ReadonlySet<string> = new Set([
  'apis.meta.v1.LabelSelector',
  'apis.meta.v1.OwnerReference',
  'core.v1.ConfigMapKeySelector',
  'core.v1.EndpointAddress',
  'core.v1.EndpointPort',
  'core.v1.FileKeySelector',
  'core.v1.LocalObjectReference',
  'core.v1.NodeSelector',
  'core.v1.NodeSelectorTerm',
  'core.v1.ObjectFieldSelector',
  'core.v1.ObjectReference',
  'core.v1.PodSpec.nodeSelector',
  'core.v1.ReplicationControllerSpec.selector',
  'core.v1.ResourceFieldSelector',
  'core.v1.ScopeSelector',
  'core.v1.SecretKeySelector',
  'core.v1.SecretReference',
  'core.v1.ServiceSpec.selector',
  'core.v1.TopologySelectorTerm',
  'core.v1.TypedLocalObjectReference',
  'node.v1.Scheduling.nodeSelector',
]);

const REPLACED: ReadonlySet<string> = new Set(['policy.v1.PodDisruptionBudgetSpec.selector']);

/** Whether a strategic merge replaces this struct as a whole. */
export const isReplaced = (message: string, field: string): boolean => REPLACED.has(`${message}.${field}`);
