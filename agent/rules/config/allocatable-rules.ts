/** Rules for what is kept from the pods. Source: kubernetes v1.34 `ValidateKubeletConfiguration`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { parseQuantity } from '../../../shared/kube/values/quantity-parse.ts';
import { parseCpuSet } from './cpu-set.ts';
import type { KubeletConfig } from './kubelet-config.ts';

const FIELD = 'enforceNodeAllocatable (--enforce-node-allocatable)';

/** What is enforced for a part of the machine: wholly, or only what can be shared in time. */
interface Part {
  readonly options: readonly [string, string];
  readonly field: 'systemReservedCgroup' | 'kubeReservedCgroup';
  readonly flag: string;
}

const PARTS: readonly Part[] = [
  {
    options: ['system-reserved', 'system-reserved-compressible'],
    field: 'systemReservedCgroup',
    flag: 'system-reserved-cgroup',
  },
  {
    options: ['kube-reserved', 'kube-reserved-compressible'],
    field: 'kubeReservedCgroup',
    flag: 'kube-reserved-cgroup',
  },
];

const OPTIONS = `"pods", ${PARTS.flatMap(({ options }) => options.map(quote)).join(', ')} or "none"`;

const exclusiveFaults = (given: readonly string[]): readonly string[] =>
  PARTS.flatMap(({ options: [whole, compressible] }) =>
    given.includes(whole) && given.includes(compressible)
      ? [`both "${whole}" and "${compressible}" cannot be specified together in ${FIELD}`]
      : [],
  );

const noneFaults = (given: readonly string[]): readonly string[] =>
  given.length > 1 ? [`${FIELD} may not contain additional enforcements when "none" is specified`] : [];

const optionFaults = (option: string, config: KubeletConfig): readonly string[] => {
  if (option === 'none') return noneFaults(config.enforceNodeAllocatable);
  const part = PARTS.find(({ options }) => options.includes(option));
  if (!part && option !== 'pods')
    return [`option ${quote(option)} specified for ${FIELD}. Valid options are ${OPTIONS}`];
  const { options, field, flag } = part ?? {};
  return [
    ...(field !== undefined && config[field] === ''
      ? [
          `${field} (--${flag}) must be specified when ${options?.map(quote).join(' or ')} included in ${FIELD}`,
        ]
      : []),
    ...(config.cgroupsPerQOS
      ? []
      : [
          `cgroupsPerQOS (--cgroups-per-qos) must be set to true when ${quote(option)} contained in ${FIELD}`,
        ]),
  ];
};

export const enforcementFaults = (config: KubeletConfig): readonly string[] => {
  const given = config.enforceNodeAllocatable;
  return [
    ...exclusiveFaults(given),
    ...given.flatMap((option, index) =>
      given.indexOf(option) < index
        ? [`duplicated enforcements ${quote(option)} in ${FIELD}`]
        : optionFaults(option, config),
    ),
  ];
};

export const reservedCpuFaults = (config: KubeletConfig): readonly string[] => {
  const { reservedSystemCPUs: given } = config;
  if (given === '') return [];
  const parsed = parseCpuSet(given);
  return [
    ...(config.systemReservedCgroup !== '' || config.kubeReservedCgroup !== ''
      ? [
          "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
        ]
      : []),
    ...('error' in parsed
      ? [`unable to parse reservedSystemCPUs (--reserved-cpus) ${given}, error: ${parsed.error}`]
      : []),
  ];
};

const isZero = (amount: string): boolean => {
  const parsed = parseQuantity(amount);
  return !('error' in parsed) && parsed.nano === 0n;
};

const isReservable = (resource: string): boolean =>
  resource === 'memory' || resource.startsWith('hugepages-');

export const reservedMemoryFaults = ({ reservedMemory = [] }: KubeletConfig): readonly string[] => {
  const seen = new Set<string>();
  return reservedMemory.flatMap(({ numaNode, limits = {} }) =>
    Object.entries(limits).flatMap(([resource, amount = '0']) => {
      const place = `NUMA node ${numaNode} and resource ${quote(resource)}`;
      const isTwice = seen.has(place);
      seen.add(place);
      return [
        ...(isReservable(resource)
          ? []
          : [
              `the limit type ${quote(resource)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
            ]),
        ...(isZero(amount) ? [`reserved memory may not be zero for ${place}`] : []),
        ...(isTwice ? [`the reserved memory has a duplicate value for ${place}`] : []),
      ];
    }),
  );
};
