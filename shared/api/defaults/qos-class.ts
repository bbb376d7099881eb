import type { PodSpec } from '../core.ts';

type Amounts = Readonly<Record<string, string>>;

interface Container {
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
}

const COMPUTE = ['cpu', 'memory'] as const;

const containersOf = (spec: PodSpec): readonly Container[] => [
  ...((spec['containers'] ?? []) as readonly Container[]),
  ...((spec['initContainers'] ?? []) as readonly Container[]),
];

const amountsOf = ({ resources }: Container): readonly string[] =>
  COMPUTE.flatMap((name) => [resources?.limits?.[name] ?? '0', resources?.requests?.[name] ?? '0']);

const isGuaranteed = ({ resources }: Container): boolean =>
  COMPUTE.every((name) => {
    const limit = resources?.limits?.[name];
    return limit !== undefined && limit !== '0' && limit === resources?.requests?.[name];
  });

/**
 * Computes `Guaranteed`, `Burstable` or `BestEffort` from the containers' defaulted cpu and memory. Source: kubernetes
 * v1.34 `ComputePodQOS`.
 */
export const qosClassOf = (spec: PodSpec): string => {
  const containers = containersOf(spec);
  if (containers.every((container) => amountsOf(container).every((amount) => amount === '0')))
    return 'BestEffort';
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
};
