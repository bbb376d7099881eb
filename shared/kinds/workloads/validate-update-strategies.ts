/** Rules for how workloads replace their pods. Source: kubernetes v1.34 `pkg/apis/apps/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import type { WorkloadSpec } from '../../kube/types/workloads.ts';
import { type IntOrPercent, isNone, notMoreThanAll, validateIntOrPercent } from '../fields/int-or-percent.ts';
import { notNegative } from '../fields/not-negative.ts';

interface RollingUpdate {
  readonly maxSurge?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
  readonly partition?: number;
}

interface UpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: RollingUpdate | null;
}

const ROLLING = 'RollingUpdate';

/** As the API server prints the numbers of a rolling update: with the names of Go's fields. */
const printedSurge = ({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdate): unknown => ({
  MaxUnavailable: maxUnavailable,
  MaxSurge: maxSurge,
});

const printedPartition = ({ partition = 0, maxUnavailable }: RollingUpdate): unknown => ({
  Partition: partition,
  MaxUnavailable: maxUnavailable ?? null,
});

const printed = (
  { type = '', rollingUpdate }: UpdateStrategy,
  printedNumbers: (numbers: RollingUpdate) => unknown,
): unknown => ({ Type: type, RollingUpdate: rollingUpdate ? printedNumbers(rollingUpdate) : null });

const validateDeploymentRolling = (
  { maxSurge, maxUnavailable }: RollingUpdate,
  at: string,
): readonly FieldError[] => [
  ...validateIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
  ...validateIntOrPercent(maxSurge, `${at}.maxSurge`),
  ...(isNone(maxUnavailable) && isNone(maxSurge)
    ? [invalidValue(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
    : []),
  ...notMoreThanAll(maxUnavailable, `${at}.maxUnavailable`),
];

const deploymentStrategy = (strategy: UpdateStrategy): readonly FieldError[] => {
  const at = 'spec.strategy';
  const { type, rollingUpdate } = strategy;
  if (type === ROLLING) return validateDeploymentRolling(rollingUpdate ?? {}, `${at}.rollingUpdate`);
  if (type !== 'Recreate') return [notSupported(at, printed(strategy, printedSurge), ['Recreate', ROLLING])];
  return rollingUpdate
    ? [forbiddenField(`${at}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
    : [];
};

/** Source: `ValidateDeploymentStrategy`, and the end of `ValidateDeploymentSpec`. */
export const validateDeployment = (spec: WorkloadSpec): readonly FieldError[] => {
  const field = 'spec.progressDeadlineSeconds';
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec as {
    readonly progressDeadlineSeconds?: number;
    readonly minReadySeconds?: number;
  };
  return [
    ...deploymentStrategy(spec['strategy'] ?? {}),
    ...(deadline !== undefined && deadline <= minReadySeconds
      ? [invalidValue(field, deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
};

const whichIsSet = ({ maxSurge, maxUnavailable }: RollingUpdate, at: string): readonly FieldError[] => {
  if (isNone(maxUnavailable))
    return isNone(maxSurge) ? [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')] : [];
  return isNone(maxSurge)
    ? []
    : [invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')];
};

/** Source: `ValidateDaemonSetUpdateStrategy`. */
export const validateDaemonSet = (spec: WorkloadSpec): readonly FieldError[] => {
  const at = 'spec.updateStrategy';
  const strategy: UpdateStrategy = spec['updateStrategy'] ?? {};
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== ROLLING)
    return [notSupported(at, printed(strategy, printedSurge), [ROLLING, 'OnDelete'])];
  const rolling = strategy.rollingUpdate ?? {};
  const numbers = (['maxUnavailable', 'maxSurge'] as const).map(
    (part): [IntOrPercent | undefined, string] => [rolling[part], `${at}.rollingUpdate.${part}`],
  );
  return [
    ...numbers.flatMap(([amount, field]) => validateIntOrPercent(amount, field)),
    ...numbers.flatMap(([amount, field]) => notMoreThanAll(amount, field)),
    ...whichIsSet(rolling, `${at}.rollingUpdate`),
  ];
};

const validateStatefulRolling = (
  { partition, maxUnavailable }: RollingUpdate,
  at: string,
): readonly FieldError[] => [
  ...notNegative(partition, `${at}.partition`),
  ...(maxUnavailable === undefined
    ? []
    : [
        ...validateIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
        ...(isNone(maxUnavailable)
          ? [invalidValue(`${at}.maxUnavailable`, maxUnavailable, 'cannot be 0')]
          : []),
        ...notMoreThanAll(maxUnavailable, `${at}.maxUnavailable`),
      ]),
];

const statefulStrategy = (strategy: UpdateStrategy): readonly FieldError[] => {
  const at = 'spec.updateStrategy';
  const { type, rollingUpdate } = strategy;
  if (type === ROLLING) return validateStatefulRolling(rollingUpdate ?? {}, `${at}.rollingUpdate`);
  if (type !== 'OnDelete')
    return [invalidValue(at, printed(strategy, printedPartition), `must be '${ROLLING}' or 'OnDelete'`)];
  return rollingUpdate
    ? [
        invalidValue(
          `${at}.rollingUpdate`,
          printedPartition(rollingUpdate),
          `only allowed for updateStrategy '${ROLLING}'`,
        ),
      ]
    : [];
};

const RETENTION = ['whenDeleted', 'whenScaled'] as const;
const RETENTIONS: readonly string[] = ['Retain', 'Delete'];

const validateRetention = (
  policies: Readonly<Partial<Record<(typeof RETENTION)[number], string>>>,
): readonly FieldError[] =>
  RETENTION.flatMap((when) => {
    const policy = policies[when];
    return policy === undefined || RETENTIONS.includes(policy)
      ? []
      : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${when}`, policy, RETENTIONS)];
  });

const MANAGEMENT: readonly unknown[] = ['OrderedReady', 'Parallel'];

/** Source: `ValidateStatefulSetSpec`. */
export const validateStatefulSet = (spec: WorkloadSpec): readonly FieldError[] => {
  const { podManagementPolicy: management, ordinals } = spec as {
    readonly podManagementPolicy?: string;
    readonly ordinals?: { readonly start?: number } | null;
  };
  return [
    ...(MANAGEMENT.includes(management)
      ? []
      : [invalidValue('spec.podManagementPolicy', management, "must be 'OrderedReady' or 'Parallel'")]),
    ...statefulStrategy(spec['updateStrategy'] ?? {}),
    ...validateRetention(spec['persistentVolumeClaimRetentionPolicy'] ?? {}),
    ...notNegative(ordinals?.start, 'spec.ordinals.start'),
  ];
};
