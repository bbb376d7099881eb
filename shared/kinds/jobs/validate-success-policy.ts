/** Rules for `successPolicy` of a Job. Source: kubernetes v1.34 `pkg/apis/batch/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required, tooLong, tooMany } from '../../kube/errors/field-error.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { JobSpec } from '../../kube/types/workloads.ts';
import { notNegative } from '../fields/not-negative.ts';

const MOST_RULES = 20;
/** The longest `succeededIndexes`, in bytes. */
const MOST_INDEX_TEXT = 64 * 1024;

interface SuccessRule {
  readonly succeededIndexes?: string | null;
  readonly succeededCount?: number | null;
}

interface SuccessPolicy {
  readonly rules?: readonly SuccessRule[] | null;
}

/** The number of indexes that the text names, or what is wrong with it. */
type IndexCount = { readonly total: number } | { readonly fault: string };

const INDEX = /^\+?\d+$/;

/** The first and the last index of one part of the text, such as `3` or `3-5`, or what is wrong with it. */
const parseInterval = (part: string, completions: number): readonly [number, number] | string => {
  const limits = part.split('-');
  if (limits.length > 2)
    return `the fragment ${quote(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  for (const limit of limits) {
    if (!INDEX.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${quote(limit)}`;
  }
  const [first = 0, last = first] = limits.map(Number);
  return limits.length === 2 && first >= last
    ? `non-increasing order, previous: ${first}, current: ${last}`
    : [first, last];
};

const countIndexes = (text: string, completions: number): IndexCount => {
  let [total, previous] = [0, -1];
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return { fault: interval };
    const [first, last] = interval;
    if (previous >= first) return { fault: `non-increasing order, previous: ${previous}, current: ${first}` };
    total += last - first + 1;
    previous = last;
  }
  return { total };
};

const validateIndexes = (text: string, count: IndexCount, field: string): readonly FieldError[] => [
  ...(Buffer.byteLength(text) > MOST_INDEX_TEXT
    ? [tooLong(field, `may not be more than ${MOST_INDEX_TEXT} bytes`)]
    : []),
  ...('fault' in count ? [invalidValue(field, text, `error parsing succeededIndexes: ${count.fault}`)] : []),
];

const validateCount = (
  succeeded: number,
  completions: number,
  indexes: number | undefined,
  field: string,
): readonly FieldError[] => {
  const most = (limit: number, what: string): FieldError =>
    invalidValue(field, succeeded, `must be less than or equal to ${limit} (the number of ${what})`);
  return [
    ...notNegative(succeeded, field),
    ...(succeeded > completions ? [most(completions, 'specified completions')] : []),
    ...(indexes !== undefined && succeeded > indexes
      ? [most(indexes, 'indexes in the specified succeededIndexes field')]
      : []),
  ];
};

const validateSuccessRule = (rule: SuccessRule, completions: number, at: string): readonly FieldError[] => {
  const [text, succeeded] = [rule.succeededIndexes ?? undefined, rule.succeededCount ?? undefined];
  if (text === undefined && succeeded === undefined)
    return [required(at, 'at least one of succeededCount or succeededIndexes must be specified')];
  const count = text === undefined ? undefined : countIndexes(text, completions);
  const indexes = count && ('total' in count ? count.total : 0);
  return [
    ...(text !== undefined && count ? validateIndexes(text, count, `${at}.succeededIndexes`) : []),
    ...(succeeded === undefined
      ? []
      : validateCount(succeeded, completions, indexes, `${at}.succeededCount`)),
  ];
};

/** Rules for `successPolicy`. `at` is the path of the Job's spec. */
export const validateSuccessPolicy = (spec: JobSpec, at: string): readonly FieldError[] => {
  const { successPolicy: policy, completions = 0 } = spec;
  if (!policy) return [];
  if (spec.completionMode !== 'Indexed')
    return [invalidValue(`${at}.successPolicy`, policy, 'requires indexed completion mode')];
  const rules = (policy as SuccessPolicy).rules ?? [];
  const field = `${at}.successPolicy.rules`;
  return [
    ...(rules.length === 0
      ? [required(field, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > MOST_RULES ? [tooMany(field, rules.length, MOST_RULES)] : []),
    ...rules.flatMap((rule, index) => validateSuccessRule(rule, completions, `${field}[${index}]`)),
  ];
};
