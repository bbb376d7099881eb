/** Rules and defaults of LimitRanges. Source: core validation and defaults v1.34. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, forbiddenField, invalidValue, required } from '../../kube/errors/field-error.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Amounts } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';
import { compareQuantities } from '../../kube/values/quantity.ts';
import { validateContainerResource } from '../fields/resource-amounts.ts';
import { resourceFaults } from '../fields/resource-names.ts';

interface LimitRangeItem {
  readonly type?: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}

export interface LimitRange extends ApiObject {
  readonly spec?: { readonly limits?: readonly LimitRangeItem[] | null };
}

const LIMIT_TYPES: readonly string[] = ['Container', 'PersistentVolumeClaim', 'Pod'];
const PARTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

// A missing default limit becomes the maximum; a missing default request becomes the default limit, or else the
// minimum.
const defaultItem = (item: LimitRangeItem): LimitRangeItem => {
  if (item.type !== 'Container') return item;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  return {
    ...item,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  };
};

/** Fills in the defaults. An absent list is shown as null. */
export const defaultLimitRange = (range: LimitRange): LimitRange => ({
  ...range,
  spec: { limits: range.spec?.limits?.map(defaultItem) ?? null },
});

const typeFaults = (type: string, field: string): readonly FieldError[] => {
  const faults = qualifiedNameFaults(type).map((fault) => invalidValue(field, type, fault));
  return faults.length > 0 || type.includes('/') || LIMIT_TYPES.includes(type)
    ? faults
    : [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
};

const nameFaults = (type: string, name: string, field: string): readonly FieldError[] =>
  type === 'Pod' || type === 'Container'
    ? validateContainerResource(name, field)
    : resourceFaults(name, field);

const partFaults = (
  item: LimitRangeItem,
  part: (typeof PARTS)[number],
  at: string,
): readonly FieldError[] => {
  const amounts = item[part] ?? {};
  const isForPods = item.type === 'Pod' && (part === 'default' || part === 'defaultRequest');
  if (isForPods && Object.keys(amounts).length > 0)
    return [forbiddenField(`${at}.${part}`, "may not be specified when `type` is 'Pod'")];
  return Object.keys(amounts).flatMap((name) => nameFaults(item.type ?? '', name, `${at}.${part}[${name}]`));
};

/**
 * Pairs of parts: the first may not exceed the second. Then their names in messages, and the part and value of the
 * error.
 */
const ORDER = [
  ['min', 'max', 'min value', 'max value', 'min', 0],
  ['min', 'defaultRequest', 'min value', 'default request value', 'defaultRequest', 1],
  ['defaultRequest', 'max', 'default request value', 'max value', 'defaultRequest', 0],
  ['defaultRequest', 'default', 'default request value', 'default limit value', 'defaultRequest', 0],
  ['min', 'default', 'min value', 'default value', 'default', 0],
  ['default', 'max', 'default value', 'max value', 'default', 1],
] as const;

const orderFaults = (item: LimitRangeItem, name: string, at: string): readonly FieldError[] =>
  ORDER.flatMap(([lower, upper, lowerWord, upperWord, part, shown]) => {
    const [least, most] = [ownMember(item[lower], name), ownMember(item[upper], name)];
    if (least === undefined || most === undefined || compareQuantities(least, most) <= 0) return [];
    const why = `${lowerWord} ${least} is greater than ${upperWord} ${most}`;
    return [invalidValue(`${at}.${part}[${name}]`, [least, most][shown], why)];
  });

const ratioFaults = (item: LimitRangeItem, name: string, at: string): readonly FieldError[] => {
  const ratio = ownMember(item.maxLimitRequestRatio, name);
  return ratio !== undefined && compareQuantities(ratio, '1') < 0
    ? [invalidValue(`${at}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`)]
    : [];
};

const validateItem = (item: LimitRangeItem, at: string): readonly FieldError[] => {
  const names = new Set(PARTS.flatMap((part) => Object.keys(item[part] ?? {})));
  const isUnbound = item.max?.['storage'] === undefined && item.min?.['storage'] === undefined;
  return [
    ...PARTS.flatMap((part) => partFaults(item, part, at)),
    ...(item.type === 'PersistentVolumeClaim' && isUnbound
      ? [
          required(
            `${at}.limits`,
            'either minimum or maximum storage value is required, but neither was provided',
          ),
        ]
      : []),
    ...[...names].flatMap((name) => [...orderFaults(item, name, at), ...ratioFaults(item, name, at)]),
  ];
};

export const validateLimitRange = ({ spec }: LimitRange): readonly FieldError[] => {
  const seen = new Set<string>();
  return (spec?.limits ?? []).flatMap((item, index) => {
    const [type, at] = [item.type ?? '', `spec.limits[${index}]`];
    const twice = seen.has(type);
    seen.add(type);
    return [
      ...typeFaults(type, `${at}.type`),
      ...(twice ? [duplicate(`${at}.type`, type)] : []),
      ...validateItem(item, at),
    ];
  });
};
