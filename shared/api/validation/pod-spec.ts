/** Rules for the spec of a new Pod, defaulted. Source: core validation v1.34 `ValidatePodSpec`; the fields that are checked here. */
import type { PodSpec } from '../core.ts';
import type { FieldError } from '../field-error.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import type { Container, PodContext } from './container.ts';
import { oneOf, validateContainers } from './container.ts';
import { validateLabels } from './metadata.ts';
import { dnsLabelFaults, dnsSubdomainFaults, qualifiedNameFaults } from './names.ts';
import type { NodeAffinity } from './node-affinity.ts';
import { validateNodeAffinity } from './node-affinity.ts';
import { validateTolerations } from './tolerations.ts';
import { validateVolumes } from './volumes.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'] as const;
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'] as const;
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'] as const;
const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'] as const;
const MAX_INT32 = 2_147_483_647;

interface Named {
  readonly name?: string;
}

const listIn = <T>(spec: PodSpec, field: string): readonly T[] => (spec[field] ?? []) as readonly T[];

const contextOf = (spec: PodSpec): PodContext => ({
  volumes: listIn<Named>(spec, 'volumes').map(({ name = '' }) => name),
  hostNetwork: spec['hostNetwork'] === true,
});

const validateAllContainers = (spec: PodSpec): readonly FieldError[] => {
  const [context, names] = [contextOf(spec), new Set<string>()];
  const containers = listIn<Container>(spec, 'containers');
  return [
    ...(containers.length === 0 ? [required('spec.containers')] : []),
    ...validateContainers(containers, context, 'spec.containers', names),
    ...validateContainers(listIn(spec, 'initContainers'), context, 'spec.initContainers', names),
  ];
};

const validateGates = (gates: readonly Named[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return gates.flatMap(({ name = '' }, index) => {
    const field = `spec.schedulingGates[${index}].name`;
    const twice = seen.has(name);
    seen.add(name);
    return [
      ...qualifiedNameFaults(name).map((fault) => invalidValue(field, name, fault)),
      ...(twice ? [duplicate(field, name)] : []),
    ];
  });
};

interface Spread {
  readonly maxSkew?: number;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
}

const validateSpread = (
  { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' }: Spread,
  at: string,
): readonly FieldError[] => [
  ...(maxSkew > 0 ? [] : [invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
  ...(topologyKey === ''
    ? [required(`${at}.topologyKey`, 'can not be empty')]
    : qualifiedNameFaults(topologyKey).map((fault) => invalidValue(`${at}.topologyKey`, topologyKey, fault))),
  ...((UNSATISFIABLE as readonly string[]).includes(whenUnsatisfiable)
    ? []
    : [notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, UNSATISFIABLE)]),
];

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

const validateNode = (spec: PodSpec): readonly FieldError[] => [
  ...nameErrors(spec, 'nodeName', dnsSubdomainFaults),
  ...(spec.nodeName && listIn(spec, 'schedulingGates').length > 0
    ? [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
    : []),
];

const validatePreemption = (policy: unknown): readonly FieldError[] =>
  policy === undefined || (PREEMPTION_POLICIES as readonly unknown[]).includes(policy)
    ? []
    : [notSupported('spec.preemptionPolicy', policy, PREEMPTION_POLICIES)];

interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
}

const validateAffinity = ({ nodeAffinity }: Affinity): readonly FieldError[] =>
  nodeAffinity ? validateNodeAffinity(nodeAffinity, 'spec.affinity.nodeAffinity') : [];

interface ReadinessGate {
  readonly conditionType?: string;
}

const validateReadinessGate = ({ conditionType = '' }: ReadinessGate, index: number): readonly FieldError[] =>
  qualifiedNameFaults(conditionType).map((fault) =>
    invalidValue(`spec.readinessGates[${index}].conditionType`, conditionType, fault),
  );

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const validatePodSpec = (spec: PodSpec): readonly FieldError[] => [
  ...validateVolumes(listIn(spec, 'volumes')),
  ...validateAllContainers(spec),
  ...oneOf('spec.restartPolicy', text(spec['restartPolicy']), RESTART_POLICIES),
  ...oneOf('spec.dnsPolicy', text(spec['dnsPolicy']), DNS_POLICIES),
  ...validateLabels((spec['nodeSelector'] ?? {}) as Record<string, string>, 'spec.nodeSelector'),
  ...listIn<ReadinessGate>(spec, 'readinessGates').flatMap(validateReadinessGate),
  ...validateGates(listIn(spec, 'schedulingGates')),
  ...listIn<Spread>(spec, 'topologySpreadConstraints').flatMap((spread, index) =>
    validateSpread(spread, `spec.topologySpreadConstraints[${index}]`),
  ),
  ...nameErrors(spec, 'serviceAccountName', dnsSubdomainFaults),
  ...validateAffinity(spec['affinity'] ?? {}),
  ...validateNode(spec),
  ...validateDeadline(spec['activeDeadlineSeconds']),
  ...nameErrors(spec, 'hostname', dnsLabelFaults),
  ...nameErrors(spec, 'subdomain', dnsLabelFaults),
  ...validateTolerations(spec.tolerations),
  ...nameErrors(spec, 'priorityClassName', dnsSubdomainFaults),
  ...validatePreemption(spec['preemptionPolicy']),
];
