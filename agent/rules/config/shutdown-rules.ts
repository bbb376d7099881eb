/** Rules for the periods of a graceful shutdown. Source: kubernetes v1.34 `ValidateKubeletConfiguration`. */
import { goDurationText } from '../../../shared/kube/text/go-duration.ts';
import { isGateOn } from './feature-gates.ts';
import type { Nanoseconds } from './fields.ts';
import type { KubeletConfig } from './kubelet-config.ts';

const SECOND = 1_000_000_000n;

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

/** What is wrong with the periods, in the order in which the kubelet says it. */
export const shutdownFaults = (config: KubeletConfig): readonly string[] => {
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
