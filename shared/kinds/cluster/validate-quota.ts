/** Rules of ResourceQuotas. Source: core validation v1.34 `ValidateResourceQuota`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Amounts } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { validateAmount } from '../fields/resource-amounts.ts';
import { QUOTA_RESOURCES, resourceFaults } from '../fields/resource-names.ts';

interface Scope {
  readonly scopeName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface ResourceQuota extends ApiObject {
  readonly spec?: {
    readonly hard?: Amounts;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly Scope[] };
  };
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts };
}

const quotaNameFaults = (name: string, field: string): readonly FieldError[] => {
  const faults = resourceFaults(name, field);
  return name.includes('/') || QUOTA_RESOURCES.includes(name)
    ? faults
    : [...faults, invalidValue(field, name, 'must be a standard resource for quota')];
};

const validateAmounts = (amounts: Amounts = {}, at: string): readonly FieldError[] =>
  Object.entries(amounts).flatMap(([name, amount]) => [
    ...quotaNameFaults(name, `${at}[${name}]`),
    ...validateAmount(name, amount, `${at}[${name}]`),
  ]);

const COMPUTE: readonly string[] = [
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
];
const POD_SCOPES: readonly string[] = [
  'Terminating',
  'NotTerminating',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
];
const SCOPES: readonly string[] = [...POD_SCOPES, 'BestEffort', 'VolumeAttributesClass'];
const WITHOUT_VALUES: readonly string[] = SCOPES.filter(
  (scope) => scope !== 'PriorityClass' && scope !== 'VolumeAttributesClass',
);
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/** Whether a quota with this scope may limit the resource. */
const isMeant = (scope: string, resource: string): boolean => {
  if (!QUOTA_RESOURCES.includes(resource)) return true;
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass')
    return resource === 'persistentvolumeclaims' || resource === 'requests.storage';
  return !POD_SCOPES.includes(scope) || resource === 'pods' || COMPUTE.includes(resource);
};

interface Scoped {
  readonly hard: Amounts;
  readonly field: string;
  readonly value: unknown;
}

const scopeFaults = (scope: string, { hard, field, value }: Scoped): readonly FieldError[] =>
  Object.keys(hard)
    .filter((resource) => !isMeant(scope, resource))
    .map(() => invalidValue(field, value, 'unsupported scope applied to resource'));

const conflictFaults = (scopes: readonly string[], field: string, value: unknown): readonly FieldError[] =>
  CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    invalidValue(field, value, 'conflicting scopes'),
  );

const validateScopes = (scopes: readonly string[], hard: Amounts): readonly FieldError[] => {
  const field = 'spec.scopes';
  return [
    ...scopes.flatMap((scope) => [
      ...(SCOPES.includes(scope) ? [] : [invalidValue(field, scopes, 'unsupported scope')]),
      ...scopeFaults(scope, { hard, field, value: scopes }),
    ]),
    ...conflictFaults(scopes, field, scopes),
  ];
};

const EXISTS_ONLY =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const operatorFaults = ({ operator = '', values = [] }: Scope, at: string): readonly FieldError[] => {
  if (operator === 'In' || operator === 'NotIn')
    return values.length > 0
      ? []
      : [
          required(
            `${at}.values`,
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        ];
  if (operator !== 'Exists' && operator !== 'DoesNotExist')
    return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')];
  return values.length === 0
    ? []
    : [
        invalidValue(
          `${at}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
};

const validateScopeSelector = (expressions: readonly Scope[], hard: Amounts): readonly FieldError[] => {
  const at = 'spec.scopeSelector.matchExpressions';
  const names = expressions.map(({ scopeName = '' }) => scopeName);
  return [
    ...expressions.flatMap((expression) => {
      const { scopeName = '', operator = '' } = expression;
      return [
        ...(SCOPES.includes(scopeName)
          ? []
          : [invalidValue(`${at}.scopeName`, scopeName, 'unsupported scope')]),
        ...scopeFaults(scopeName, { hard, field: at, value: { matchExpressions: expressions } }),
        ...(WITHOUT_VALUES.includes(scopeName) && operator !== 'Exists'
          ? [invalidValue(`${at}.operator`, operator, EXISTS_ONLY)]
          : []),
        ...operatorFaults(expression, at),
      ];
    }),
    ...conflictFaults(names, at, names),
  ];
};

export const validateResourceQuota = ({ spec = {} }: ResourceQuota): readonly FieldError[] => [
  ...validateAmounts(spec.hard, 'spec.hard'),
  ...validateScopes(spec.scopes ?? [], spec.hard ?? {}),
  ...validateScopeSelector(spec.scopeSelector?.matchExpressions ?? [], spec.hard ?? {}),
];

const sorted = (scopes: readonly string[] = []): readonly string[] => [...new Set(scopes)].sort();

export const validateResourceQuotaUpdate = (
  after: ResourceQuota,
  before: ResourceQuota,
): readonly FieldError[] =>
  deepEqual(sorted(after.spec?.scopes), sorted(before.spec?.scopes))
    ? []
    : [invalidValue('spec.scopes', after.spec?.scopes ?? null, 'field is immutable')];

/** Rules for the quantities in a written status. */
export const validateQuotaStatus = ({ status = {} }: ResourceQuota): readonly FieldError[] => [
  ...validateAmounts(status.hard, 'status.hard'),
  ...validateAmounts(status.used, 'status.used'),
];
