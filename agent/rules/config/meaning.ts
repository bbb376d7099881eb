/** What each field of KubeletConfiguration means to this agent: most of them, or nothing. */
import type { KubeletConfig } from './kubelet-config.ts';
import type { KubeletFields } from './kubelet-fields.ts';

type Field = keyof KubeletFields;

const HONOURED: readonly Field[] = [
  ...(['apiVersion', 'kind', 'featureGates', 'staticPodPath', 'podLogsDir', 'fileCheckFrequency'] as const),
  ...(['registerNode', 'registerWithTaints', 'providerID', 'enableControllerAttachDetach'] as const),
  ...(['nodeStatusUpdateFrequency', 'nodeStatusReportFrequency', 'nodeLeaseDurationSeconds'] as const),
  ...(['nodeStatusMaxImages', 'maxPods', 'podsPerCore', 'podPidsLimit'] as const),
  ...(['systemReserved', 'kubeReserved', 'enforceNodeAllocatable', 'localStorageCapacityIsolation'] as const),
  ...(['evictionHard', 'evictionSoft', 'evictionSoftGracePeriod', 'evictionMinimumReclaim'] as const),
  ...([
    'evictionPressureTransitionPeriod',
    'evictionMaxPodGracePeriod',
    'mergeDefaultEvictionSettings',
  ] as const),
  ...(['volumeStatsAggPeriod', 'shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'] as const),
  ...(['shutdownGracePeriodByPodPriority', 'containerLogMaxSize', 'containerLogMaxFiles'] as const),
  ...(['containerLogMonitorInterval', 'cgroupRoot', 'failSwapOn', 'memorySwap'] as const),
  'seccompDefault',
  ...(['reservedSystemCPUs', 'cpuManagerPolicy', 'cpuManagerPolicyOptions'] as const),
  ...(['cpuManagerReconcilePeriod', 'memoryManagerPolicy', 'reservedMemory'] as const),
  ...(['topologyManagerPolicy', 'topologyManagerScope', 'topologyManagerPolicyOptions'] as const),
  ...(['containerRuntimeEndpoint', 'imageServiceEndpoint'] as const),
  ...(['enableServer', 'address', 'port', 'streamingConnectionIdleTimeout'] as const),
];

/** Fields that have an effect if a container runtime is named. */
const OF_RUNTIMES: ReadonlySet<string> = new Set<Field>([
  ...(['runtimeRequestTimeout', 'clusterDomain', 'clusterDNS', 'resolvConf'] as const),
  ...(['cgroupDriver', 'singleProcessOOMKill', 'allowedUnsafeSysctls'] as const),
  ...(['registryPullQPS', 'registryBurst', 'serializeImagePulls', 'maxParallelImagePulls'] as const),
  ...(['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'] as const),
  ...(['imageMinimumGCAge', 'imageMaximumGCAge'] as const),
]);

/** Why fields have no effect. */
const IGNORED: Readonly<Record<string, readonly Field[]>> = {
  'the server of the agent is for requests that the control plane has permitted, with a certificate of its own':
    [
      ...(['readOnlyPort', 'tlsCertFile', 'tlsPrivateKeyFile'] as const),
      ...(['tlsCipherSuites', 'tlsMinVersion', 'rotateCertificates', 'serverTLSBootstrap'] as const),
      ...([
        'authentication',
        'authorization',
        'enableDebuggingHandlers',
        'enableContentionProfiling',
      ] as const),
      ...(['healthzPort', 'healthzBindAddress'] as const),
      ...(['enableSystemLogHandler', 'enableSystemLogQuery', 'enableProfilingHandler'] as const),
      ...(['enableDebugFlagsHandler', 'showHiddenMetricsForVersion'] as const),
    ],
  'the agent has times and rates of its own': [
    ...(['syncFrequency', 'httpCheckFrequency', 'kubeAPIQPS', 'kubeAPIBurst', 'eventRecordQPS'] as const),
    ...(['eventBurst', 'contentType', 'runtimeRequestTimeout', 'crashLoopBackOff'] as const),
  ],
  'ConfigMaps and Secrets come with the work of the node': ['configMapAndSecretChangeDetectionStrategy'],
  'no image is pulled': [
    ...(['registryPullQPS', 'registryBurst', 'imagePullCredentialsVerificationPolicy'] as const),
    ...(['preloadedImagesVerificationAllowlist', 'imageMinimumGCAge', 'imageMaximumGCAge'] as const),
    ...(['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent', 'serializeImagePulls'] as const),
    'maxParallelImagePulls',
  ],
  'containers use the network and the name resolution of the machine': [
    ...(['podCIDR', 'clusterDomain', 'clusterDNS', 'resolvConf', 'hairpinMode'] as const),
    ...(['makeIPTablesUtilChains', 'iptablesMasqueradeBit', 'iptablesDropBit'] as const),
  ],
  'pods have control groups below one of the agent, each with bounds of its own': [
    ...(['kubeletCgroups', 'systemCgroups', 'cgroupsPerQOS', 'cgroupDriver'] as const),
    ...(['failCgroupV1', 'singleProcessOOMKill', 'cpuCFSQuota', 'cpuCFSQuotaPeriod'] as const),
    ...(['memoryThrottlingFactor', 'systemReservedCgroup', 'kubeReservedCgroup', 'qosReserved'] as const),
  ],
  'the machine has its own': ['maxOpenFiles', 'protectKernelDefaults', 'oomScoreAdj'],
  'memory is looked at in periods': ['kernelMemcgNotification'],
  'containers share the kernel parameters of the machine, so that no pod may set any': [
    'allowedUnsafeSysctls',
  ],
  'there are no user namespaces': ['userNamespaces'],
  'there are no plug-ins for volumes': ['volumePluginDir'],
  'the agent logs plain lines, of one kind': ['logging', 'tracing', 'containerLogMaxWorkers'],
  'it has no effect, and Kubernetes has given it up': ['staticPodURLHeader', 'runOnce'],
};

/** Fields that cannot be honoured, and that ask for something which would be missed. */
const REFUSED: readonly {
  readonly field: Field;
  readonly asks: (config: KubeletConfig) => boolean;
  readonly why: string;
}[] = [
  {
    field: 'staticPodURL',
    asks: ({ staticPodURL }) => staticPodURL !== '',
    why: 'static pods are read from staticPodPath only',
  },
];

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(IGNORED).flatMap(([why, fields]) => fields.map((field) => [field, why] as const)),
);

/** Every field with what the agent does with it. */
export const MEANINGS: Readonly<
  Record<'honoured' | 'ofRuntimes' | 'ignored' | 'refused', readonly string[]>
> = {
  honoured: HONOURED,
  ofRuntimes: [...OF_RUNTIMES],
  ignored: [...REASONS.keys()].filter((field) => !OF_RUNTIMES.has(field)),
  refused: REFUSED.map(({ field }) => field),
};

/** Which of the fields of a file have no effect, and why. `hasRuntime`: containers are run by a runtime of the CRI. */
export const withoutEffect = (
  fields: Iterable<string>,
  hasRuntime: boolean,
): readonly (readonly [string, string])[] =>
  [...fields].flatMap((field) => {
    if (hasRuntime && OF_RUNTIMES.has(field)) return [];
    const why = REASONS.get(field);
    return why === undefined ? [] : [[field, why] as const];
  });

/** What the configuration asks for that cannot be had, each text with the name of its field first. */
export const refusedSettings = (config: KubeletConfig): readonly string[] =>
  REFUSED.flatMap(({ field, asks, why }) =>
    asks(config) ? [`${field} is not supported: ${why}; take it out`] : [],
  );
