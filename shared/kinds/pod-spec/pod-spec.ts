/**
 * Rules for the spec of a new Pod after defaulting, as far as they are served. Source: core validation v1.34
 * `ValidatePodSpec`.
 */
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../kube/errors/field-error.ts';
import type { NodeAffinity, PodAffinity, PodAffinityTerm } from '../../kube/types/affinity.ts';
import type { PodSpec } from '../../kube/types/core.ts';
import { dnsLabelFaults, dnsSubdomainFaults, qualifiedNameFaults } from '../../kube/values/names.ts';
import {
  type Container,
  imageSpaces,
  type PodContext,
  requiredOneOf,
  validateContainers,
  validateInitContainers,
} from '../containers/container.ts';
import { hostNetworkFaults } from '../containers/host-ports.ts';
import { validatePodSecurity } from '../containers/pod-security.ts';
import { validateLabels } from '../fields/metadata.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validateLabelKeys } from './label-keys.ts';
import { validateNodeAffinity } from './node-affinity.ts';
import { type DnsConfig, validateDns, validateHostAliases } from './pod-dns.ts';
import { validateHostUsers, validateOs } from './pod-os.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpread } from './topology-spread.ts';
import { validateVolumes } from './volumes.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'] as const;
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'] as const;
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'] as const;
const MAX_INT32 = 2_147_483_647;

interface Named {
  readonly name?: string;
}

const listIn = <T>(spec: PodSpec, field: string): readonly T[] => (spec[field] ?? []) as readonly T[];

/** What the rules for its containers need to know of a pod. */
export const podContextOf = (spec: PodSpec): PodContext => ({
  volumes: new Set(listIn<Named>(spec, 'volumes').map(({ name = '' }) => name)),
  hostUsers: spec['hostUsers'] !== false,
});

const validateAllContainers = (spec: PodSpec): readonly FieldError[] => {
  const [context, names] = [podContextOf(spec), new Set<string>()];
  const containers = listIn<Container>(spec, 'containers');
  return [
    ...(containers.length === 0 ? [required('spec.containers')] : []),
    ...validateContainers(containers, context, 'spec.containers', names),
    ...validateInitContainers(listIn(spec, 'initContainers'), context, 'spec.initContainers', names),
  ];
};

const validateGates = (gates: readonly Named[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return gates.flatMap(({ name = '' }, index) => {
    const field = `spec.schedulingGates[${index}]`;
    const twice = seen.has(name);
    seen.add(name);
    return [
      ...qualifiedNameFaults(name).map((fault) => invalidValue(field, name, fault)),
      ...(twice ? [duplicate(field, name)] : []),
    ];
  });
};

const nameErrors = (
  spec: PodSpec,
  field: string,
  faultsOf: (name: string) => readonly string[],
): readonly FieldError[] => {
  const name = spec[field];
  return typeof name === 'string' && name !== ''
    ? faultsOf(name).map((fault) => invalidValue(`spec.${field}`, name, fault))
    : [];
};

const validateDeadline = (deadline: unknown): readonly FieldError[] =>
  typeof deadline === 'number' && (deadline < 1 || deadline > MAX_INT32)
    ? [invalidValue('spec.activeDeadlineSeconds', deadline, `must be between 1 and ${MAX_INT32}, inclusive`)]
    : [];

const validatePreemption = (policy: unknown): readonly FieldError[] =>
  policy === undefined || (PREEMPTION_POLICIES as readonly unknown[]).includes(policy)
    ? []
    : [notSupported('spec.preemptionPolicy', policy, PREEMPTION_POLICIES)];

interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

const validateTerm = (term: PodAffinityTerm, at: string): readonly FieldError[] => {
  const { topologyKey = '', namespaces = [] } = term;
  return [
    ...validateSelector(term.labelSelector, `${at}.labelSelector`),
    ...validateSelector(term.namespaceSelector, `${at}.namespaceSelector`),
    // Kubernetes prints the field in the singular and without an index here.
    ...namespaces.flatMap((name) =>
      dnsLabelFaults(name).map((fault) => invalidValue(`${at}.namespace`, name, fault)),
    ),
    ...validateLabelKeys(term, at),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...qualifiedNameFaults(topologyKey).map((fault) => invalidValue(`${at}.topologyKey`, topologyKey, fault)),
  ];
};

/**
 * Rules for required terms and for preferred terms with their weights. Source: core validation v1.34 `validatePodAffinityTerm`,
 * `validateWeightedPodAffinityTerms`.
 */
const validatePodAffinity = (affinity: PodAffinity, at: string): readonly FieldError[] => [
  ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, index) =>
    validateTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
  ),
  ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((wish, index) => {
    const { weight = 0, podAffinityTerm = {} } = wish;
    const here = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    return [
      ...(weight >= 1 && weight <= 100
        ? []
        : [invalidValue(`${here}.weight`, weight, 'must be in the range 1-100')]),
      ...validateTerm(podAffinityTerm, `${here}.podAffinityTerm`),
    ];
  }),
];

const validateAffinity = ({
  nodeAffinity = {},
  podAffinity = {},
  podAntiAffinity = {},
}: Affinity): readonly FieldError[] => [
  ...validateNodeAffinity(nodeAffinity, 'spec.affinity.nodeAffinity'),
  ...validatePodAffinity(podAffinity, 'spec.affinity.podAffinity'),
  ...validatePodAffinity(podAntiAffinity, 'spec.affinity.podAntiAffinity'),
];

interface ReadinessGate {
  readonly conditionType?: string;
}

const validateReadinessGate = ({ conditionType = '' }: ReadinessGate, index: number): readonly FieldError[] =>
  qualifiedNameFaults(conditionType).map((fault) =>
    invalidValue(`spec.readinessGates[${index}].conditionType`, conditionType, fault),
  );

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const validateHostNetwork = (spec: PodSpec): readonly FieldError[] =>
  spec['hostNetwork'] === true ? hostNetworkFaults(listIn(spec, 'containers'), 'spec.containers') : [];

/** Checks the spec in Kubernetes' order, because messages list the errors in that order. */
export const validatePodSpec = (spec: PodSpec): readonly FieldError[] => [
  ...validateVolumes(listIn(spec, 'volumes')),
  ...validateAllContainers(spec),
  ...validateHostNetwork(spec),
  ...requiredOneOf('spec.restartPolicy', text(spec['restartPolicy']), RESTART_POLICIES),
  ...requiredOneOf('spec.dnsPolicy', text(spec['dnsPolicy']), DNS_POLICIES),
  ...validateLabels((spec['nodeSelector'] ?? {}) as Record<string, string>, 'spec.nodeSelector'),
  ...validatePodSecurity(spec),
  ...validateAffinity(spec['affinity'] ?? {}),
  ...validateDns(spec['dnsPolicy'], spec['dnsConfig'] as DnsConfig | undefined, 'spec.dnsConfig'),
  ...listIn<ReadinessGate>(spec, 'readinessGates').flatMap(validateReadinessGate),
  ...validateGates(listIn(spec, 'schedulingGates')),
  ...validateTopologySpread(listIn(spec, 'topologySpreadConstraints'), 'spec.topologySpreadConstraints'),
  ...validateHostUsers(spec),
  ...nameErrors(spec, 'serviceAccountName', dnsSubdomainFaults),
  ...nameErrors(spec, 'nodeName', dnsSubdomainFaults),
  ...validateDeadline(spec['activeDeadlineSeconds']),
  ...nameErrors(spec, 'hostname', dnsLabelFaults),
  ...nameErrors(spec, 'subdomain', dnsLabelFaults),
  ...validateTolerations(spec.tolerations),
  ...validateHostAliases(listIn(spec, 'hostAliases'), 'spec.hostAliases'),
  ...nameErrors(spec, 'priorityClassName', dnsSubdomainFaults),
  ...nameErrors(spec, 'runtimeClassName', dnsSubdomainFaults),
  ...validatePreemption(spec['preemptionPolicy']),
  ...validateOs(spec),
  ...imageSpaces(listIn(spec, 'containers'), 'spec.containers'),
  ...imageSpaces(listIn(spec, 'initContainers'), 'spec.initContainers'),
];
