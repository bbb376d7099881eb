/**
 * Flags of Kubernetes' programs that users try on the host and on the agent, and what they use instead. Source: kubernetes v1.34 and before, the
 * references of kube-apiserver, kube-controller-manager, kube-scheduler and kubelet.
 */

/** Whose command line it is. */
export type Whose = 'host' | 'agent';

interface Row {
  readonly of: readonly Whose[];
  readonly flags: readonly string[];
  /** Follows "there is no option --FLAG: ". */
  readonly instead: string;
}

const field = (name: string): string => `write ${name} into the KubeletConfiguration of --config`;

/** Flags of a kubelet that are fields of its file. */
const FIELDS: Readonly<Record<string, string>> = {
  'node-status-update-frequency': 'nodeStatusUpdateFrequency',
  'max-pods': 'maxPods',
  'pods-per-core': 'podsPerCore',
  'pod-max-pids': 'podPidsLimit',
  'pod-manifest-path': 'staticPodPath',
  'pod-log-dir': 'podLogsDir',
  'eviction-hard': 'evictionHard',
  'eviction-soft': 'evictionSoft',
  'eviction-soft-grace-period': 'evictionSoftGracePeriod',
  'eviction-minimum-reclaim': 'evictionMinimumReclaim',
  'eviction-max-pod-grace-period': 'evictionMaxPodGracePeriod',
  'eviction-pressure-transition-period': 'evictionPressureTransitionPeriod',
  'system-reserved': 'systemReserved',
  'kube-reserved': 'kubeReserved',
  'reserved-cpus': 'reservedSystemCPUs',
  'reserved-memory': 'reservedMemory',
  'enforce-node-allocatable': 'enforceNodeAllocatable',
  'cpu-manager-policy': 'cpuManagerPolicy',
  'cpu-manager-policy-options': 'cpuManagerPolicyOptions',
  'cpu-manager-reconcile-period': 'cpuManagerReconcilePeriod',
  'memory-manager-policy': 'memoryManagerPolicy',
  'topology-manager-policy': 'topologyManagerPolicy',
  'topology-manager-scope': 'topologyManagerScope',
  'topology-manager-policy-options': 'topologyManagerPolicyOptions',
  'cgroup-root': 'cgroupRoot',
  'cgroup-driver': 'cgroupDriver',
  'cluster-dns': 'clusterDNS',
  'cluster-domain': 'clusterDomain',
  'resolv-conf': 'resolvConf',
  'container-log-max-size': 'containerLogMaxSize',
  'container-log-max-files': 'containerLogMaxFiles',
  'image-gc-high-threshold': 'imageGCHighThresholdPercent',
  'image-gc-low-threshold': 'imageGCLowThresholdPercent',
  'minimum-image-ttl-duration': 'imageMinimumGCAge',
  'serialize-image-pulls': 'serializeImagePulls',
  'registry-qps': 'registryPullQPS',
  'registry-burst': 'registryBurst',
  'runtime-request-timeout': 'runtimeRequestTimeout',
  'file-check-frequency': 'fileCheckFrequency',
  'volume-stats-agg-period': 'volumeStatsAggPeriod',
  'allowed-unsafe-sysctls': 'allowedUnsafeSysctls',
  'seccomp-default': 'seccompDefault',
  'local-storage-capacity-isolation': 'localStorageCapacityIsolation',
  'node-status-max-images': 'nodeStatusMaxImages',
  address: 'address',
  port: 'port',
};

const AGENT: readonly Whose[] = ['agent'];
const HOST: readonly Whose[] = ['host'];
const BOTH: readonly Whose[] = ['host', 'agent'];

const ROWS: readonly Row[] = [
  ...Object.entries(FIELDS).map(([flag, name]): Row => ({ of: AGENT, flags: [flag], instead: field(name) })),
  {
    of: AGENT,
    flags: ['kubeconfig', 'bootstrap-kubeconfig', 'api-servers'],
    instead:
      'an agent joins with --server and --bootstrap-token-file; "rollcall token --bootstrap --print-join" prints the line',
  },
  {
    of: HOST,
    flags: ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig', 'master', 'etcd-servers'],
    instead: 'API, controllers and scheduler are one process, whose state is in --folder',
  },
  {
    of: HOST,
    flags: ['pod-eviction-timeout'],
    instead:
      'Kubernetes 1.27 has removed it. Pods say how long they stay by tolerationSeconds; --default-toleration-seconds is for those that do not',
  },
  {
    of: HOST,
    flags: ['default-not-ready-toleration-seconds', 'default-unreachable-toleration-seconds'],
    instead: 'both are --default-toleration-seconds',
  },
  {
    of: HOST,
    flags: ['enable-taint-manager'],
    instead:
      'Kubernetes 1.27 has removed it. Taints always evict; leave taint-eviction out of --controllers to go without',
  },
  {
    of: HOST,
    flags: ['node-status-update-frequency', 'node-lease-duration-seconds'],
    instead: 'it is a setting of each agent: nodeStatusUpdateFrequency in its KubeletConfiguration',
  },
  {
    of: HOST,
    flags: ['secure-port', 'bind-address', 'port', 'address'],
    instead: 'use --listen ADDRESS:PORT',
  },
  {
    of: HOST,
    flags: ['insecure-port', 'insecure-bind-address'],
    instead: 'there is only TLS: use --listen ADDRESS:PORT',
  },
  {
    of: HOST,
    flags: ['authorization-mode', 'anonymous-auth', 'client-ca-file', 'token-auth-file', 'basic-auth-file'],
    instead: 'who may do what follows from the groups of a token: see "rollcall token --help"',
  },
  {
    of: HOST,
    flags: [
      'oidc-issuer-url',
      'oidc-client-id',
      'authentication-token-webhook-config-file',
      'service-account-issuer',
    ],
    instead: 'the host knows only tokens that it has signed: see "rollcall token --help"',
  },
  {
    of: HOST,
    flags: [
      'service-account-key-file',
      'service-account-signing-key-file',
      'service-account-private-key-file',
    ],
    instead: 'the signing key is in --folder, and "rollcall rotate-key" replaces it',
  },
  {
    of: HOST,
    flags: ['tls-cert-file', 'tls-private-key-file', 'cert-dir', 'root-ca-file', 'advertise-address'],
    instead: 'the host issues its certificate itself; --host-names says for which names',
  },
  {
    of: HOST,
    flags: ['admission-control', 'disable-admission-plugins'],
    instead: 'use --enable-admission-plugins',
  },
  {
    of: HOST,
    flags: ['node-cidr-mask', 'pod-network-cidr'],
    instead: 'use --cluster-cidr and --node-cidr-mask-size',
  },
  {
    of: HOST,
    flags: ['policy-config-file', 'policy-configmap', 'algorithm-provider', 'write-config-to'],
    instead: 'Kubernetes has removed it, and the scheduler here takes no profiles',
  },
  {
    of: HOST,
    flags: ['runtime-config', 'audit-policy-file', 'encryption-provider-config'],
    instead: 'there is no such function here; see docs/limits.md',
  },
  { of: AGENT, flags: ['token-file'], instead: 'use --bootstrap-token-file' },
  {
    of: AGENT,
    flags: ['token'],
    instead:
      "other users of the machine read the arguments of programs. Write the token to a file (mode 0600) and use --bootstrap-token-file FILE, or give it by standard input: printf %s 'TOKEN' | rollcall agent run … --bootstrap-token-file -",
  },
  {
    of: AGENT,
    flags: ['container-runtime', 'docker-endpoint', 'network-plugin', 'cni-bin-dir', 'cni-conf-dir'],
    instead:
      'Kubernetes 1.24 and 1.27 have removed it. Name a runtime with --container-runtime-endpoint; it has the network plugins in its own configuration',
  },
  {
    of: AGENT,
    flags: ['pod-infra-container-image'],
    instead: 'the sandbox image is set in the configuration of containerd or CRI-O',
  },
  {
    of: AGENT,
    flags: ['cloud-config', 'experimental-cloud-provider'],
    instead: 'cloud providers are outside: use --cloud-provider external',
  },
  {
    of: AGENT,
    flags: ['register-schedulable'],
    instead: 'Kubernetes has removed it: use --register-with-taints',
  },
  {
    of: AGENT,
    flags: [
      'read-only-port',
      'anonymous-auth',
      'authorization-mode',
      'client-ca-file',
      'authentication-token-webhook',
      'tls-cert-file',
      'tls-private-key-file',
      'cert-dir',
      'rotate-certificates',
      'rotate-server-certificates',
    ],
    instead:
      'the server of the agent has a certificate of its own, and answers requests that the control plane has permitted',
  },
  {
    of: AGENT,
    flags: ['config-dir', 'dynamic-config-dir', 'seccomp-profile-root'],
    instead: 'write one file for --config',
  },
  { of: AGENT, flags: ['experimental-fail-swap-on'], instead: 'use --fail-swap-on' },
  {
    of: BOTH,
    flags: ['feature-gates'],
    instead: 'on an agent write featureGates into the KubeletConfiguration of --config; a host has no gates',
  },
  { of: BOTH, flags: ['logging-format'], instead: 'a host takes --log-format; an agent writes text' },
  {
    of: BOTH,
    flags: ['log-dir', 'log-file', 'log_dir', 'log_file'],
    instead: 'the log goes to standard output: direct it into a file, or read it with journalctl',
  },
];

/** Flags that change nothing which a user could miss. `takes`: whether a value may follow as a word of its own. */
const HARMLESS: Readonly<Record<string, { readonly takes: boolean; readonly why: string }>> = {
  v: { takes: true, why: 'the log has one level' },
  vmodule: { takes: true, why: 'the log has one level' },
  logtostderr: { takes: false, why: 'the log is on standard output' },
  alsologtostderr: { takes: false, why: 'the log is on standard output' },
  'leader-elect': { takes: false, why: 'one process at a time has the folder' },
};

/** Gates that are always on here and in Kubernetes, which has removed most of them. */
const ALWAYS_ON: ReadonlySet<string> = new Set([
  'CPUManager',
  'TopologyManager',
  'SeccompDefault',
  'LocalStorageCapacityIsolation',
  'NodeLease',
  'TaintBasedEvictions',
  'TaintNodesByCondition',
  'NodeOutOfServiceVolumeDetach',
  'ServerSideApply',
  'WatchBookmark',
  'APIListChunking',
  'JobTrackingWithFinalizers',
  'PodDisruptionConditions',
]);

const insteadFor = (whose: Whose): ReadonlyMap<string, string> =>
  new Map(
    ROWS.filter(({ of }) => of.includes(whose)).flatMap(({ flags, instead }) =>
      flags.map((flag) => [flag, instead] as const),
    ),
  );

/** What to use instead of a flag that is none of ours, by its name. */
export const INSTEAD: Readonly<Record<Whose, ReadonlyMap<string, string>>> = {
  host: insteadFor('host'),
  agent: insteadFor('agent'),
};

/** Whether all these gates are switched on, and always are: `A=true,B=true`. */
const areAlwaysOn = (gates: string): boolean =>
  gates.split(',').every((one) => {
    const [name = '', value] = one.trim().split('=');
    return ALWAYS_ON.has(name) && value === 'true';
  });

interface Dropped {
  /** How many words of the command line it takes. */
  readonly words: number;
  readonly warning: string;
}

const droppedAt = (args: readonly string[], at: number): Dropped | undefined => {
  const [, flag = '', given] = /^--?([\w-]+)(?:=(.*))?$/s.exec(args[at] ?? '') ?? [];
  const next = args[at + 1];
  const words = given === undefined ? 2 : 1;
  if (flag === 'feature-gates' && areAlwaysOn(given ?? next ?? ''))
    return {
      words,
      warning: `--feature-gates ${given ?? next} is ignored: these gates are always on; leave it out`,
    };
  const row = (args[at] ?? '').startsWith(flag === 'v' ? '-' : '--') ? HARMLESS[flag] : undefined;
  if (!row) return undefined;
  const takesNext = row.takes && given === undefined && next !== undefined && !next.startsWith('-');
  return { words: takesNext ? 2 : 1, warning: `--${flag} is ignored: ${row.why}; leave it out` };
};

/** The command line without flags of Kubernetes that are harmless to leave out, with a warning for each. What stands behind `--` stays. */
export const withoutHarmless = (
  args: readonly string[],
): { readonly args: readonly string[]; readonly warnings: readonly string[] } => {
  const [kept, warnings]: [string[], string[]] = [[], []];
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  for (let at = 0; at < end; at += 1) {
    const dropped = droppedAt(args.slice(0, end), at);
    if (dropped) {
      warnings.push(dropped.warning);
      at += dropped.words - 1;
    } else kept.push(args[at] ?? '');
  }
  return { args: [...kept, ...args.slice(end)], warnings };
};

/** What to do about a fault of a KubeletConfiguration that names something which Kubernetes has removed; `''`: there is nothing to add. */
export const adviceOn = (fault: string): string => {
  const [, gate] = /unrecognized feature gate: (\w+)/.exec(fault) ?? [];
  if (gate !== undefined && ALWAYS_ON.has(gate))
    return `; Kubernetes has removed the gate ${gate}, which is always on: leave it out`;
  return fault.includes('swapBehavior "UnlimitedSwap"')
    ? '; Kubernetes 1.30 has removed UnlimitedSwap: use LimitedSwap'
    : '';
};
