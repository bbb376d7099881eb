/** Rules of PodDisruptionBudgets. Source: kubernetes v1.34 `pkg/apis/policy/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, notSupported } from '../../kube/errors/field-error.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../kube/types/policy.ts';
import { validateConditions } from '../fields/conditions.ts';
import { type IntOrPercent, notMoreThanAll, validateIntOrPercent } from '../fields/int-or-percent.ts';
import { pathSegmentName, validateMetadata, validateMetadataUpdate } from '../fields/metadata.ts';
import { notNegative } from '../fields/not-negative.ts';
import { validateSelector } from '../fields/object-selector.ts';

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'] as const;

const validateAmount = (value: IntOrPercent | undefined, field: string): readonly FieldError[] => [
  ...validateIntOrPercent(value, field),
  ...notMoreThanAll(value, field),
];

const printed = (spec: PodDisruptionBudgetSpec): unknown => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: spec.selector ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
});

const validatePolicy = (policy: string | undefined): readonly FieldError[] =>
  policy === undefined || (POLICIES as readonly string[]).includes(policy)
    ? []
    : [notSupported('spec.unhealthyPodEvictionPolicy', policy, POLICIES)];

const validateSpec = (spec: PodDisruptionBudgetSpec = {}): readonly FieldError[] => {
  const hasBoth = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined;
  return [
    ...(hasBoth
      ? [invalidValue('spec', printed(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...validateAmount(spec.minAvailable, 'spec.minAvailable'),
    ...validateAmount(spec.maxUnavailable, 'spec.maxUnavailable'),
    ...validatePolicy(spec.unhealthyPodEvictionPolicy),
    ...validateSelector(spec.selector, 'spec.selector'),
  ];
};

/** Rules for a new budget. Its name may be any path segment. Its metadata is checked only if its spec is valid. */
export const validateBudget = ({ metadata, spec }: PodDisruptionBudget): readonly FieldError[] => {
  const faults = validateSpec(spec);
  return faults.length > 0
    ? faults
    : validateMetadata(metadata, { namespaced: true, nameRule: pathSegmentName });
};

export const validateBudgetUpdate = (
  after: PodDisruptionBudget,
  before: PodDisruptionBudget,
): readonly FieldError[] => [
  ...validateMetadataUpdate(after.metadata, before.metadata),
  ...validateSpec(after.spec),
];

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/** Rules for a changed status. */
export const validateBudgetStatusUpdate = (
  after: PodDisruptionBudget,
  before: PodDisruptionBudget,
): readonly FieldError[] => [
  ...validateMetadataUpdate(after.metadata, before.metadata),
  ...validateConditions(after.status?.conditions, 'status.conditions'),
  ...COUNTS.flatMap((count) => notNegative(after.status?.[count], `status.${count}`)),
];
