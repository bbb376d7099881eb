/** Ranges of the numbers of a configuration. Source: kubernetes v1.34 `ValidateKubeletConfiguration`. */
import { goDurationText } from '../../../shared/kube/text/go-duration.ts';
import { isGateOn } from './feature-gates.ts';
import type { KubeletConfig } from './kubelet-config.ts';

type Numbers = { readonly [K in keyof KubeletConfig]: KubeletConfig[K] extends number ? K : never };
type NumberField = Numbers[keyof KubeletConfig];

const isWithin = (value: number, least: number, most: number): boolean => value >= least && value <= most;

interface Range {
  readonly field: NumberField;
  readonly flag: string;
  readonly least: number;
  readonly most?: number;
  /** 0 means "off". */
  readonly mayBeZero?: true;
  readonly rule: string;
}

const natural = (field: NumberField, flag: string): Range => ({
  field,
  flag,
  least: 0,
  rule: 'must not be a negative number',
});

const between = (field: NumberField, flag: string, least: number, most: number): Range => ({
  field,
  flag,
  least,
  most,
  rule: `must be between ${least} and ${most}, inclusive`,
});

const inRange = (config: KubeletConfig, ranges: readonly Range[]): readonly string[] =>
  ranges.flatMap(({ field, flag, least, most = Number.POSITIVE_INFINITY, mayBeZero, rule }) => {
    const value = config[field];
    const isRight = isWithin(value, least, most) || (mayBeZero && value === 0);
    return isRight ? [] : [`${field} (--${flag}) ${value} ${rule}`];
  });

const FIRST: readonly Range[] = [
  natural('eventBurst', 'event-burst'),
  natural('eventRecordQPS', 'event-qps'),
  { ...between('healthzPort', 'healthz-port', 1, 65_535), mayBeZero: true },
];

const PERCENTS: readonly Range[] = [
  between('imageGCHighThresholdPercent', 'image-gc-high-threshold', 0, 100),
  between('imageGCLowThresholdPercent', 'image-gc-low-threshold', 0, 100),
];

const OTHERS: readonly Range[] = [
  between('iptablesDropBit', 'iptables-drop-bit', 0, 31),
  between('iptablesMasqueradeBit', 'iptables-masquerade-bit', 0, 31),
  natural('kubeAPIBurst', 'kube-api-burst'),
  natural('kubeAPIQPS', 'kube-api-qps'),
  {
    field: 'nodeStatusMaxImages',
    flag: 'node-status-max-images',
    least: -1,
    rule: 'must be -1 or greater',
  },
  natural('maxOpenFiles', 'max-open-files'),
  natural('maxPods', 'max-pods'),
  between('oomScoreAdj', 'oom-score-adj', -1000, 1000),
  natural('podsPerCore', 'pods-per-core'),
  between('port', 'port', 1, 65_535),
  { ...between('readOnlyPort', 'read-only-port', 0, 65_535) },
  natural('registryBurst', 'registry-burst'),
  natural('registryPullQPS', 'registry-qps'),
];

const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const DEFAULT_QUOTA_PERIOD = 100n * MILLISECOND;

const quotaPeriodFaults = ({ featureGates, cpuCFSQuotaPeriod }: KubeletConfig): readonly string[] => {
  const period = cpuCFSQuotaPeriod ?? DEFAULT_QUOTA_PERIOD;
  const subject = `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${goDurationText(period)}}`;
  if (!isGateOn(featureGates, 'CustomCPUCFSQuotaPeriod'))
    return period === DEFAULT_QUOTA_PERIOD
      ? []
      : [`${subject} requires feature gate CustomCPUCFSQuotaPeriod`];
  return period >= MILLISECOND && period <= SECOND
    ? []
    : [`${subject} must be between 1ms and 1sec, inclusive`];
};

const imageFaults = (config: KubeletConfig): readonly string[] => {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = config;
  const { imageMinimumGCAge: least, imageMaximumGCAge: most } = config;
  const [leastText, mostText] = [goDurationText(least), goDurationText(most)];
  return [
    ...inRange(config, PERCENTS),
    ...(low >= high
      ? [
          `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
        ]
      : []),
    ...(most !== 0n && !isGateOn(config.featureGates, 'ImageMaximumGCAge')
      ? ['ImageMaximumGCAge feature gate is required for Kubelet configuration option imageMaximumGCAge']
      : []),
    ...(least < 0n ? [`imageMinimumGCAge ${leastText} must not be negative`] : []),
    ...(most < 0n ? [`imageMaximumGCAge ${mostText} must not be negative`] : []),
    ...(most > 0n && most <= least
      ? [`imageMaximumGCAge ${mostText} must be greater than imageMinimumGCAge ${leastText}`]
      : []),
  ];
};

const pullFaults = ({
  serializeImagePulls,
  maxParallelImagePulls: most,
}: KubeletConfig): readonly string[] => [
  ...(most !== undefined && most < 1 ? [`maxParallelImagePulls ${most} must be a positive number`] : []),
  ...(serializeImagePulls && most !== undefined && most > 1
    ? [
        'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false',
      ]
    : []),
];

/** What is wrong with the numbers, in the order in which the kubelet says it. */
export const numberFaults = (config: KubeletConfig): readonly string[] => [
  ...(config.nodeLeaseDurationSeconds <= 0 ? ['nodeLeaseDurationSeconds must be greater than 0'] : []),
  ...(config.systemCgroups !== '' && config.cgroupRoot === ''
    ? ['systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified']
    : []),
  ...inRange(config, FIRST),
  ...quotaPeriodFaults(config),
  ...imageFaults(config),
  ...inRange(config, OTHERS),
  ...pullFaults(config),
];
