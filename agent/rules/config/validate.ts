/** Whether a configuration makes sense. Source: kubernetes v1.34 `ValidateKubeletConfiguration`. */

import { goDurationText } from '../../../shared/kube/text/go-duration.ts';
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { TAINT_EFFECTS } from '../../../shared/kube/types/well-known.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../../shared/kube/values/names.ts';
import { printedTaint } from '../registration/taints-flag.ts';
import { enforcementFaults, reservedCpuFaults, reservedMemoryFaults } from './allocatable-rules.ts';
import { isGateOn } from './feature-gates.ts';
import type { Nanoseconds } from './fields.ts';
import type { KubeletConfig } from './kubelet-config.ts';
import { numberFaults } from './number-rules.ts';

type Taint = NonNullable<KubeletConfig['registerWithTaints']>[number];

const SECOND = 1_000_000_000n;

/** A taint without an effect passes here. The API refuses the Node that has it. */
const isTaint = ({ key, value, effect }: Taint): boolean =>
  qualifiedNameFaults(key).length === 0 &&
  labelValueFaults(value).length === 0 &&
  (effect === '' || (TAINT_EFFECTS as readonly string[]).includes(effect));

const taintFaults = ({ registerWithTaints = [] }: KubeletConfig): readonly string[] =>
  registerWithTaints.flatMap((taint) => [
    ...(isTaint(taint) ? [] : [`invalid taint: ${printedTaint(taint)}`]),
    ...(taint.timeAdded === undefined ? [] : ['invalid configuration: taint.TimeAdded is not nil']),
  ]);

const POLICIES: readonly string[] = ['none', 'best-effort', 'restricted', 'single-numa-node'];
const SCOPES: readonly string[] = ['container', 'pod'];

const topologyFaults = ({ topologyManagerPolicy: policy, topologyManagerScope: scope }: KubeletConfig) => [
  ...(POLICIES.includes(policy)
    ? []
    : [
        `topologyManagerPolicy (--topology-manager-policy) ${quote(policy)} must be one of: [${POLICIES.map(quote).join(' ')}]`,
      ]),
  ...(SCOPES.includes(scope)
    ? []
    : [
        `topologyManagerScope (--topology-manager-scope) ${quote(scope)} must be one of: ${SCOPES.map(quote).join(', or ')}`,
      ]),
];

const SWAP: readonly string[] = ['', 'LimitedSwap', 'NoSwap'];

const swapFaults = ({ featureGates, memorySwap: { swapBehavior } }: KubeletConfig): readonly string[] => {
  if (!isGateOn(featureGates, 'NodeSwap'))
    return swapBehavior === ''
      ? []
      : ['memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled'];
  return SWAP.includes(swapBehavior)
    ? []
    : [`memorySwap.swapBehavior ${quote(swapBehavior)} must be one of: "", "LimitedSwap" or "NoSwap"`];
};

const MILLISECONDS = 1_000_000n;

const backOffFaults = ({ featureGates, crashLoopBackOff }: KubeletConfig): readonly string[] => {
  const period = crashLoopBackOff.maxContainerRestartPeriod;
  if (period === undefined) return [];
  if (!isGateOn(featureGates, 'KubeletCrashLoopBackOffMax'))
    return [
      'FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set',
    ];
  const milliseconds = period / MILLISECONDS;
  return milliseconds >= 1000n && milliseconds <= 300_000n
    ? []
    : [
        `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${Number(period) / 1e9} seconds) must be set between 1s and 300s`,
      ];
};

const HAIRPIN_MODES: readonly string[] = ['none', 'hairpin-veth', 'promiscuous-bridge'];
const SECONDS = 1_000_000_000n;

const textFaults = (config: KubeletConfig): readonly string[] => [
  ...(HAIRPIN_MODES.includes(config.hairpinMode)
    ? []
    : [
        `option ${quote(config.hairpinMode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
      ]),
];

const logFaults = (config: KubeletConfig): readonly string[] => [
  ...(config.enableSystemLogQuery && !isGateOn(config.featureGates, 'NodeLogQuery')
    ? ['NodeLogQuery feature gate is required for enableSystemLogQuery']
    : []),
  ...(config.enableSystemLogQuery && !config.enableSystemLogHandler
    ? ['enableSystemLogHandler is required for enableSystemLogQuery']
    : []),
  ...(config.containerLogMaxWorkers < 1 ? ['containerLogMaxWorkers must be greater than or equal to 1'] : []),
  ...((config.containerLogMonitorInterval ?? 0n) < 3n * SECONDS
    ? ['containerLogMonitorInterval must be a positive time duration greater than or equal to 3s']
    : []),
  ...(config.containerLogMaxFiles <= 1 ? ['containerLogMaxFiles must be greater than 1'] : []),
  ...(config.podLogsDir.startsWith('/')
    ? []
    : [`pod logs path ${quote(config.podLogsDir)} must be absolute path`]),
];

const throttlingFaults = ({ memoryThrottlingFactor: factor }: KubeletConfig): readonly string[] =>
  factor > 0 && factor <= 1
    ? []
    : [`memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`];

const bootFaults = ({ featureGates, serverTLSBootstrap, runOnce }: KubeletConfig): readonly string[] => [
  ...(serverTLSBootstrap && !isGateOn(featureGates, 'RotateKubeletServerCertificate')
    ? ['serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate']
    : []),
  ...(runOnce ? ['runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set'] : []),
];

const named = (faults: readonly string[]): readonly string[] =>
  faults.map((fault) => `invalid configuration: ${fault}`);

/** As Go prints a struct that has only a duration. */
const printed = (period: Nanoseconds): string => `{${goDurationText(period)}}`;

const lengthFaults = (field: string, period: Nanoseconds): readonly string[] =>
  period === 0n || period >= SECOND
    ? []
    : [`${field} ${printed(period)} must be either zero or otherwise >= 1 sec`];

const periodFaults = ({
  shutdownGracePeriod: total,
  shutdownGracePeriodCriticalPods: critical,
}: KubeletConfig): readonly string[] => [
  ...(critical > total
    ? [
        `shutdownGracePeriodCriticalPods ${printed(critical)} must be <= shutdownGracePeriod ${printed(total)}`,
      ]
    : []),
  ...lengthFaults('shutdownGracePeriod', total),
  ...lengthFaults('shutdownGracePeriodCriticalPods', critical),
];

/**
 * What is wrong with the periods, in the order in which the kubelet says it. Source: kubernetes v1.34
 * `ValidateKubeletConfiguration`.
 */
const shutdownFaults = (config: KubeletConfig): readonly string[] => {
  const { featureGates, shutdownGracePeriodByPodPriority: byPriority = [] } = config;
  const isGiven = config.shutdownGracePeriod > 0n || config.shutdownGracePeriodCriticalPods > 0n;
  const isOn = isGateOn(featureGates, 'GracefulNodeShutdown');
  const hasPriorities = isGateOn(featureGates, 'GracefulNodeShutdownBasedOnPodPriority');
  return [
    ...(isOn ? periodFaults(config) : []),
    ...(isGiven && !isOn
      ? [
          'specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown',
        ]
      : []),
    ...(hasPriorities && byPriority.length > 0 && isGiven
      ? ['Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time']
      : []),
    ...(!hasPriorities && byPriority.length > 0
      ? [
          'Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority',
        ]
      : []),
  ];
};

/** What is wrong with the configuration, in the order in which the kubelet says it. Empty: the agent may start. */
export const kubeletConfigFaults = (config: KubeletConfig): readonly string[] => [
  ...named([...numberFaults(config), ...bootFaults(config)]),
  ...taintFaults(config),
  ...named([
    ...topologyFaults(config),
    ...shutdownFaults(config),
    ...swapFaults(config),
    ...backOffFaults(config),
    ...enforcementFaults(config),
    ...textFaults(config),
    ...reservedCpuFaults(config),
    ...reservedMemoryFaults(config),
    ...throttlingFaults(config),
    ...logFaults(config),
  ]),
];
