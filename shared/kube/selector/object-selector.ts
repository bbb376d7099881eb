/** Label selectors in the fields of objects. Source: apimachinery v1.34 `meta/v1/helpers.go`. */

import { ownMember } from '../json/own-member.ts';
import { byText } from '../text/compare-text.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../types/meta.ts';
import type { LabelRequirement } from './label-selector.ts';
import { matchesLabels } from './label-selector.ts';

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

const requirementOf = ({
  key = '',
  operator = '',
  values = [],
}: LabelSelectorRequirement): LabelRequirement | undefined => {
  const own = ownMember(OPERATORS, operator);
  return own && { key, operator: own, values: new Set(values) };
};

const isRequirement = (one: LabelRequirement | undefined): one is LabelRequirement => one !== undefined;

/** Converts a selector to requirements; `undefined` if an operator is unknown. */
const requirementsOf = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): readonly LabelRequirement[] | undefined => {
  const expressions = matchExpressions.map(requirementOf);
  if (!expressions.every(isRequirement)) return undefined;
  const equalities = Object.entries(matchLabels).map(
    ([key, value]): LabelRequirement => ({ key, operator: 'in', values: new Set([value]) }),
  );
  return [...equalities, ...expressions];
};

/** Caches converted selectors, so that each is converted once for many objects. */
const read = new WeakMap<LabelSelector, { readonly requirements: ReturnType<typeof requirementsOf> }>();

const requirementsRead = (selector: LabelSelector): ReturnType<typeof requirementsOf> => {
  const known = read.get(selector);
  if (known) return known.requirements;
  const requirements = requirementsOf(selector);
  read.set(selector, { requirements });
  return requirements;
};

/**
 * Whether the selector selects an object with these labels. An absent selector or one with an unknown operator selects
 * nothing.
 */
export const selects = (
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean => {
  if (!selector) return false;
  const requirements = requirementsRead(selector);
  return requirements !== undefined && matchesLabels(requirements, labels);
};

/** Whether the selector has no requirement. An empty selector selects everything, an absent one nothing. */
export const isEmptySelector = (selector: LabelSelector | undefined): boolean =>
  selector !== undefined &&
  (selector.matchExpressions ?? []).length === 0 &&
  Object.keys(selector.matchLabels ?? {}).length === 0;

const printed = ({ key = '', operator = '', values = [] }: LabelSelectorRequirement): string => {
  const own = ownMember(OPERATORS, operator);
  if (own === 'exists') return key;
  return own === '!' ? `!${key}` : `${key} ${own} (${values.toSorted().join(',')})`;
};

/** Formats a valid selector as text, sorted by key, such as `app=web,tier in (a,b)`. */
export const selectorText = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => [key, `${key}=${value}`] as const),
    ...matchExpressions.map((one) => [one.key ?? '', printed(one)] as const),
  ]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([, text]) => text)
    .join(',');

const expressionOf = ({ key, operator, values }: LabelRequirement): LabelSelectorRequirement | undefined => {
  const name = Object.keys(OPERATORS).find((one) => OPERATORS[one] === operator);
  if (name === undefined) return undefined;
  return { key, operator: name, ...(values.size === 0 ? {} : { values: [...values].toSorted() }) };
};

/** The selector with these requirements, as in an object; `undefined`: it cannot compare numbers. */
export const selectorFrom = (requirements: readonly LabelRequirement[]): LabelSelector | undefined => {
  const isEquality = ({ operator, values }: LabelRequirement): boolean =>
    operator === 'in' && values.size === 1;
  const isOneOfKey = ({ key }: LabelRequirement): boolean =>
    requirements.filter((one) => one.key === key).length === 1;
  const equalities = requirements.filter((one) => isEquality(one) && isOneOfKey(one));
  const expressions = requirements.filter((one) => !equalities.includes(one)).map(expressionOf);
  if (expressions.includes(undefined)) return undefined;
  return {
    ...(equalities.length === 0
      ? {}
      : {
          matchLabels: Object.fromEntries(equalities.map(({ key, values }) => [key, [...values].join('')])),
        }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions as LabelSelectorRequirement[] }),
  };
};
