/** The fields of the file KubeletConfiguration, with their defaults. Source: kubernetes v1.34 `kubelet/config/v1beta1`. */
import {
  anyText,
  anything,
  apiText,
  count,
  duration,
  flag,
  fraction,
  list,
  longCount,
  map,
  optionalDuration,
  size,
  struct,
  text,
} from './fields.ts';

const TAINT = struct(
  'Taint',
  { key: text(), value: text(), effect: text(), timeAdded: apiText('time') },
  'v1',
);

const GRACE_ENTRY = struct('ShutdownGracePeriodByPodPriority', {
  priority: size(),
  shutdownGracePeriodSeconds: size(0, 'int64'),
});

const RESERVED_MEMORY = struct('MemoryReservation', {
  numaNode: size(),
  limits: map(apiText('quantity')),
});

const SERVER = {
  enableServer: flag(true),
  address: text('0.0.0.0'),
  port: size(10_250),
  readOnlyPort: size(),
  tlsCertFile: text(),
  tlsPrivateKeyFile: text(),
  tlsCipherSuites: list(text()),
  tlsMinVersion: text(),
  rotateCertificates: flag(false),
  serverTLSBootstrap: flag(false),
  authentication: struct('KubeletAuthentication', {
    x509: struct('KubeletX509Authentication', { clientCAFile: text() }),
    webhook: struct('KubeletWebhookAuthentication', { enabled: flag(true), cacheTTL: duration('2m') }),
    anonymous: struct('KubeletAnonymousAuthentication', { enabled: flag(false) }),
  }),
  authorization: struct('KubeletAuthorization', {
    mode: text('Webhook'),
    webhook: struct('KubeletWebhookAuthorization', {
      cacheAuthorizedTTL: duration('5m'),
      cacheUnauthorizedTTL: duration('30s'),
    }),
  }),
  enableDebuggingHandlers: flag(true),
  enableContentionProfiling: flag(false),
  healthzPort: count(10_248),
  healthzBindAddress: text('127.0.0.1'),
  streamingConnectionIdleTimeout: duration('4h'),
  enableSystemLogHandler: flag(true),
  enableSystemLogQuery: flag(false),
  enableProfilingHandler: flag(true),
  enableDebugFlagsHandler: flag(true),
};

const SOURCES = {
  staticPodPath: text(),
  podLogsDir: text('/var/log/pods'),
  syncFrequency: duration('1m'),
  fileCheckFrequency: duration('20s'),
  httpCheckFrequency: duration('20s'),
  staticPodURL: text(),
  staticPodURLHeader: map(list(text())),
  runOnce: flag(false),
  configMapAndSecretChangeDetectionStrategy: text('Watch'),
};

const CLIENT = {
  contentType: text('application/vnd.kubernetes.protobuf'),
  kubeAPIQPS: count(50),
  kubeAPIBurst: size(100),
  eventRecordQPS: count(50),
  eventBurst: size(100),
};

const IMAGES = {
  registryPullQPS: count(5),
  registryBurst: size(10),
  imagePullCredentialsVerificationPolicy: text(),
  preloadedImagesVerificationAllowlist: list(text()),
  imageMinimumGCAge: duration('2m'),
  imageMaximumGCAge: duration(),
  imageGCHighThresholdPercent: count(85),
  imageGCLowThresholdPercent: count(80),
  serializeImagePulls: flag(undefined),
  maxParallelImagePulls: count(undefined),
  containerRuntimeEndpoint: text('unix:///run/containerd/containerd.sock'),
  imageServiceEndpoint: text(),
  runtimeRequestTimeout: duration('2m'),
};

const NODE = {
  registerNode: flag(true),
  registerWithTaints: list(TAINT),
  providerID: text(),
  nodeStatusUpdateFrequency: duration(),
  nodeStatusReportFrequency: duration(),
  nodeLeaseDurationSeconds: size(40),
  nodeStatusMaxImages: count(50),
  maxPods: size(110),
  podsPerCore: size(),
  podCIDR: text(),
  enableControllerAttachDetach: flag(true),
};

const CGROUPS = {
  kubeletCgroups: text(),
  systemCgroups: text(),
  cgroupRoot: text(),
  cgroupsPerQOS: flag(true),
  cgroupDriver: text('cgroupfs'),
  failCgroupV1: flag(false),
  singleProcessOOMKill: flag(undefined),
  cpuCFSQuota: flag(true),
  cpuCFSQuotaPeriod: optionalDuration('100ms'),
  memoryThrottlingFactor: fraction(0.9),
  podPidsLimit: longCount(-1),
  oomScoreAdj: count(-999),
  failSwapOn: flag(true),
  memorySwap: struct('MemorySwapConfiguration', { swapBehavior: text() }),
};

const RESOURCES = {
  systemReserved: map(text()),
  kubeReserved: map(text()),
  systemReservedCgroup: text(),
  kubeReservedCgroup: text(),
  enforceNodeAllocatable: list(text()),
  reservedSystemCPUs: text(),
  qosReserved: map(text()),
  cpuManagerPolicy: text('none'),
  cpuManagerPolicyOptions: map(text()),
  cpuManagerReconcilePeriod: duration('10s'),
  memoryManagerPolicy: text('None'),
  reservedMemory: list(RESERVED_MEMORY),
  topologyManagerPolicy: text('none'),
  topologyManagerScope: text('container'),
  topologyManagerPolicyOptions: map(text()),
};

const EVICTION = {
  evictionHard: map(text()),
  evictionSoft: map(text()),
  evictionSoftGracePeriod: map(text()),
  evictionPressureTransitionPeriod: duration('5m'),
  evictionMaxPodGracePeriod: size(),
  evictionMinimumReclaim: map(text()),
  mergeDefaultEvictionSettings: flag(false),
  localStorageCapacityIsolation: flag(true),
  volumeStatsAggPeriod: duration('1m'),
  kernelMemcgNotification: flag(false),
};

const PODS = {
  shutdownGracePeriod: duration(),
  shutdownGracePeriodCriticalPods: duration(),
  shutdownGracePeriodByPodPriority: list(GRACE_ENTRY),
  crashLoopBackOff: struct('CrashLoopBackOffConfig', { maxContainerRestartPeriod: optionalDuration() }),
  containerLogMaxSize: text('10Mi'),
  containerLogMaxFiles: count(5),
  containerLogMaxWorkers: count(1),
  containerLogMonitorInterval: optionalDuration('10s'),
  allowedUnsafeSysctls: list(text()),
  seccompDefault: flag(undefined),
  userNamespaces: struct('UserNamespaces', { idsPerPod: longCount(undefined) }),
  clusterDomain: text(),
  clusterDNS: list(text()),
  resolvConf: anyText('/etc/resolv.conf'),
  volumePluginDir: text('/usr/libexec/kubernetes/kubelet-plugins/volume/exec/'),
};

const MACHINE = {
  hairpinMode: text('promiscuous-bridge'),
  maxOpenFiles: size(1_000_000, 'int64'),
  protectKernelDefaults: flag(false),
  makeIPTablesUtilChains: flag(true),
  iptablesMasqueradeBit: count(14),
  iptablesDropBit: count(15),
  showHiddenMetricsForVersion: text(),
  logging: struct(
    'LoggingConfiguration',
    {
      format: text('text'),
      flushFrequency: anything(),
      verbosity: size(),
      vmodule: anything(),
      options: anything(),
    },
    'v1',
  ),
  tracing: struct(
    'TracingConfiguration',
    { endpoint: text(), samplingRatePerMillion: count(undefined) },
    'v1',
  ),
};

export const KUBELET_CONFIGURATION = struct('KubeletConfiguration', {
  apiVersion: text(),
  kind: text(),
  featureGates: map(flag(false)),
  ...SERVER,
  ...SOURCES,
  ...CLIENT,
  ...IMAGES,
  ...NODE,
  ...CGROUPS,
  ...RESOURCES,
  ...EVICTION,
  ...PODS,
  ...MACHINE,
});

/** The values of the fields, where each field that is missing has its default. */
export type KubeletFields = ReturnType<typeof KUBELET_CONFIGURATION.read>;
