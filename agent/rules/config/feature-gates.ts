/** Feature gates of nodes. Source: kubernetes v1.34 pkg/features. */

/** Gates that decide something here, with their defaults. */
const DEFAULTS = {
  CPUManagerPolicyAlphaOptions: false,
  CPUManagerPolicyBetaOptions: true,
  CustomCPUCFSQuotaPeriod: false,
  DisableCPUQuotaWithExclusiveCPUs: true,
  GracefulNodeShutdown: true,
  GracefulNodeShutdownBasedOnPodPriority: true,
  ImageMaximumGCAge: true,
  KubeletCrashLoopBackOffMax: false,
  KubeletEnsureSecretPulledImages: false,
  KubeletRegistrationGetOnExistsOnly: false,
  NodeLogQuery: false,
  NodeSwap: true,
  RotateKubeletServerCertificate: true,
  TopologyManagerPolicyBetaOptions: true,
} as const;

export type Gate = keyof typeof DEFAULTS;

/** Gates of a kubelet that may be set, and change nothing here. */
const OTHERS: ReadonlySet<string> = new Set([
  'AllAlpha',
  'AllBeta',
  'AllowDNSOnlyNodeCSR',
  'CPUManagerPolicyOptions',
  'CSIVolumeHealth',
  'ClusterTrustBundle',
  'ClusterTrustBundleProjection',
  'ContainerCheckpoint',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'ContextualLogging',
  'DisableNodeKubeProxyVersion',
  'DynamicResourceAllocation',
  'EnvFiles',
  'EventedPLEG',
  'ExecProbeTimeout',
  'ImageVolume',
  'InPlacePodVerticalScaling',
  'InPlacePodVerticalScalingExclusiveCPUs',
  'InPlacePodVerticalScalingExclusiveMemory',
  'KubeletCgroupDriverFromCRI',
  'KubeletFineGrainedAuthz',
  'KubeletInUserNamespace',
  'KubeletPSI',
  'KubeletPodResourcesDynamicResources',
  'KubeletPodResourcesGet',
  'KubeletPodResourcesListUseActivePods',
  'KubeletSeparateDiskGC',
  'KubeletServiceAccountTokenForCredentialProviders',
  'KubeletTracing',
  'LocalStorageCapacityIsolationFSQuotaMonitoring',
  'LoggingAlphaOptions',
  'LoggingBetaOptions',
  'MemoryManager',
  'MemoryQoS',
  'MutableCSINodeAllocatableCount',
  'PodAndContainerStatsFromCRI',
  'PodCertificateRequest',
  'PodLevelResources',
  'PodLifecycleSleepAction',
  'PodLifecycleSleepActionAllowZero',
  'PodLogsQuerySplitStreams',
  'PodObservedGenerationTracking',
  'PodReadyToStartContainersCondition',
  'ProcMountType',
  'QOSReserved',
  'RecoverVolumeExpansionFailure',
  'RecursiveReadOnlyMounts',
  'ReduceDefaultCrashLoopBackOffDecay',
  'RelaxedEnvironmentVariableValidation',
  'ResourceHealthStatus',
  'SELinuxChangePolicy',
  'SELinuxMount',
  'SELinuxMountReadWriteOncePod',
  'SidecarContainers',
  'SupplementalGroupsPolicy',
  'SystemdWatchdog',
  'TopologyManagerPolicyAlphaOptions',
  'TopologyManagerPolicyOptions',
  'UserNamespacesSupport',
  'WindowsCPUAndMemoryAffinity',
  'WindowsGracefulNodeShutdown',
  'WindowsHostNetwork',
]);

export type Gates = Readonly<Record<string, boolean>>;

const isOwn = (gate: string): gate is Gate => Object.hasOwn(DEFAULTS, gate);

/** The first gate that no kubelet has. */
export const unknownGate = (gates: Gates): string | undefined =>
  Object.keys(gates).find((gate) => !isOwn(gate) && !OTHERS.has(gate));

export const isGateOn = (gates: Gates, gate: Gate): boolean =>
  Object.hasOwn(gates, gate) ? gates[gate] === true : DEFAULTS[gate];
