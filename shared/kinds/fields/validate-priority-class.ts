/** Rules of PriorityClasses. Source: kubernetes v1.34 `pkg/apis/scheduling/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported } from '../../kube/errors/field-error.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';
import { SYSTEM_PRIORITIES } from '../../kube/types/well-known.ts';
import { validateMetadata, validateMetadataUpdate } from './metadata.ts';

const SYSTEM_PREFIX = 'system-';
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const POLICIES = ['PreemptLowerPriority', 'Never'] as const;

const systemFault = ({ metadata: { name }, value, globalDefault }: PriorityClass): string | undefined => {
  const known = ownMember(SYSTEM_PRIORITIES, name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
};

const validateValue = (priorityClass: PriorityClass): readonly FieldError[] => {
  const { metadata, value = 0 } = priorityClass;
  if (!metadata.name.startsWith(SYSTEM_PREFIX))
    return value > HIGHEST_USER_PRIORITY
      ? [
          forbiddenField(
            'value',
            `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`,
          ),
        ]
      : [];
  const fault = systemFault(priorityClass);
  return fault === undefined
    ? []
    : [
        forbiddenField(
          'metadata.name',
          `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${fault}`,
        ),
      ];
};

const validatePolicy = (policy = ''): readonly FieldError[] =>
  (POLICIES as readonly string[]).includes(policy)
    ? []
    : [notSupported('preemptionPolicy', policy, POLICIES)];

export const validatePriorityClass = (priorityClass: PriorityClass): readonly FieldError[] => [
  ...validateMetadata(priorityClass.metadata, { namespaced: false }),
  ...validateValue(priorityClass),
  ...validatePolicy(priorityClass.preemptionPolicy),
];

/** The value is immutable, because Pods have copied it. */
export const validatePriorityClassUpdate = (
  after: PriorityClass,
  before: PriorityClass,
): readonly FieldError[] => {
  const metadata = validateMetadataUpdate(after.metadata, before.metadata);
  return [
    ...metadata,
    ...metadata,
    ...(after.value === before.value ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
    ...(after.preemptionPolicy === before.preemptionPolicy
      ? []
      : [invalidValue('preemptionPolicy', after.preemptionPolicy ?? '', 'field is immutable')]),
  ];
};
