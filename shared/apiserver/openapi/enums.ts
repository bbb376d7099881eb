/** The values of string fields that take only a few. Source: kubernetes v1.34 `types.go`, the marker `+enum`. */
export const ENUMS: Readonly<Record<string, string>> = {
  'core.v1.Container.imagePullPolicy': 'Always IfNotPresent Never',
  'core.v1.Container.terminationMessagePolicy': 'FallbackToLogsOnError File',
  'core.v1.ContainerPort.protocol': 'SCTP TCP UDP',
  'core.v1.NamespaceStatus.phase': 'Active Terminating',
  'core.v1.NodeSelectorRequirement.operator': 'DoesNotExist Exists Gt In Lt NotIn',
  'core.v1.NodeStatus.phase': 'Pending Running Terminated',
  'core.v1.PodSpec.dnsPolicy': 'ClusterFirst ClusterFirstWithHostNet Default None',
  'core.v1.PodSpec.preemptionPolicy': 'Never PreemptLowerPriority',
  'core.v1.PodSpec.restartPolicy': 'Always Never OnFailure',
  'core.v1.PodStatus.phase': 'Failed Pending Running Succeeded Unknown',
  'core.v1.PodStatus.qosClass': 'BestEffort Burstable Guaranteed',
  'core.v1.Taint.effect': 'NoExecute NoSchedule PreferNoSchedule',
  'core.v1.Toleration.effect': 'NoExecute NoSchedule PreferNoSchedule',
  'core.v1.Toleration.operator': 'Equal Exists',
  'policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy': 'AlwaysAllow IfHealthyBudget',
  'scheduling.v1.PriorityClass.preemptionPolicy': 'Never PreemptLowerPriority',
};
