/** Rules for `podFailurePolicy` of a Job. Source: kubernetes v1.34 `pkg/apis/batch/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import {
  duplicate,
  invalidValue,
  invalidWithoutValue,
  notSupported,
  required,
  tooMany,
} from '../../kube/errors/field-error.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { JobSpec } from '../../kube/types/workloads.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';

const MOST_RULES = 20;
const MOST_EXIT_CODES = 255;
const MOST_CONDITIONS = 20;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'] as const;
const OPERATORS = ['In', 'NotIn'] as const;
const STATUSES = ['False', 'True', 'Unknown'] as const;

interface ExitCodes {
  readonly containerName?: string | null;
  readonly operator?: string;
  readonly values?: readonly number[] | null;
}

interface ConditionPattern {
  readonly type?: string;
  readonly status?: string;
}

interface FailureRule {
  readonly action?: string;
  readonly onExitCodes?: ExitCodes | null;
  readonly onPodConditions?: readonly ConditionPattern[] | null;
}

interface FailurePolicy {
  readonly rules?: readonly FailureRule[] | null;
}

const oneOf = (field: string, value: string | undefined, known: readonly string[]): readonly FieldError[] => {
  if (!value) return [required(field, `valid values: [${known.map((one) => quote(one)).join(' ')}]`)];
  return known.includes(value) ? [] : [notSupported(field, value, known)];
};

const validateAction = (action: string | undefined, spec: JobSpec, field: string): readonly FieldError[] =>
  action === 'FailIndex' && spec.backoffLimitPerIndex === undefined
    ? [invalidValue(field, action, 'requires the backoffLimitPerIndex to be set')]
    : oneOf(field, action, ACTIONS);

const validateCodes = (
  values: readonly number[] | null | undefined,
  operator: string | undefined,
  at: string,
): readonly FieldError[] => {
  const codes = values ?? [];
  const seen = new Set<number>();
  const faults = codes.flatMap((code, index) => {
    const isTwice = seen.has(code);
    seen.add(code);
    return [
      ...(operator === 'In' && code === 0
        ? [invalidValue(`${at}[${index}]`, code, 'must not be 0 for the In operator')]
        : []),
      ...(isTwice ? [duplicate(`${at}[${index}]`, code)] : []),
    ];
  });
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? code) <= code);
  return [
    ...(codes.length === 0 ? [invalidValue(at, codes, 'at least one value is required')] : []),
    ...(codes.length > MOST_EXIT_CODES ? [tooMany(at, codes.length, MOST_EXIT_CODES)] : []),
    ...faults,
    ...(isOrdered ? [] : [invalidValue(at, codes, 'must be ordered')]),
  ];
};

const containerNames = ({ template }: JobSpec): ReadonlySet<string | undefined> => {
  const lists = ['containers', 'initContainers'].flatMap(
    (list) => (template?.spec?.[list] ?? []) as readonly { readonly name?: string }[],
  );
  return new Set(lists.map(({ name }) => name));
};

const validateExitCodes = (codes: ExitCodes, spec: JobSpec, at: string): readonly FieldError[] => {
  const { containerName = null, operator, values } = codes;
  const isUnknown = containerName !== null && !containerNames(spec).has(containerName);
  return [
    ...oneOf(`${at}.operator`, operator, OPERATORS),
    ...(isUnknown
      ? [
          invalidValue(
            `${at}.containerName`,
            containerName,
            'must be one of the container or initContainer names in the pod template',
          ),
        ]
      : []),
    ...validateCodes(values, operator, `${at}.values`),
  ];
};

const validateConditions = (patterns: readonly ConditionPattern[], at: string): readonly FieldError[] => [
  ...(patterns.length > MOST_CONDITIONS ? [tooMany(at, patterns.length, MOST_CONDITIONS)] : []),
  ...patterns.flatMap(({ type = '', status }, index) => [
    ...qualifiedNameFaults(type).map((fault) => invalidValue(`${at}[${index}].type`, type, fault)),
    ...oneOf(`${at}[${index}].status`, status, STATUSES),
  ]),
];

const validateFailureRule = (rule: FailureRule, spec: JobSpec, at: string): readonly FieldError[] => {
  const { action, onExitCodes } = rule;
  const conditions = rule.onPodConditions ?? [];
  const given = Number(Boolean(onExitCodes)) + Number(conditions.length > 0);
  return [
    ...validateAction(action, spec, `${at}.action`),
    ...(onExitCodes ? validateExitCodes(onExitCodes, spec, `${at}.onExitCodes`) : []),
    ...validateConditions(conditions, `${at}.onPodConditions`),
    ...(given === 2
      ? [invalidWithoutValue(at, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(given === 0
      ? [invalidWithoutValue(at, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : []),
  ];
};

/** Rules for `podFailurePolicy`. `at` is the path of the Job's spec. */
export const validateFailurePolicy = (spec: JobSpec, at: string): readonly FieldError[] => {
  if (!spec.podFailurePolicy) return [];
  const rules = (spec.podFailurePolicy as FailurePolicy).rules ?? [];
  const field = `${at}.podFailurePolicy.rules`;
  return [
    ...(rules.length > MOST_RULES ? [tooMany(field, rules.length, MOST_RULES)] : []),
    ...rules.flatMap((rule, index) => validateFailureRule(rule, spec, `${field}[${index}]`)),
  ];
};
