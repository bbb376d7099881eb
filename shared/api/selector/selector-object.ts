/** `LabelSelector` objects, as workloads carry them. Source: apimachinery v1.34 `meta/v1/helpers.go`. */
import type { LabelRequirement } from './label-selector.ts';

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
}

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** What a selector asks of labels; an expression with an unknown operator asks nothing. */
export const requirementsOf = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): readonly LabelRequirement[] => [
  ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'in' as const, values: [value] })),
  ...matchExpressions.flatMap(({ key = '', operator = '', values = [] }) => {
    const known = OPERATORS[operator];
    return known ? [{ key, operator: known, values }] : [];
  }),
];

const printed = ({ key, operator, values }: LabelRequirement): string => {
  if (operator === 'exists') return key;
  return operator === '!' ? `!${key}` : `${key} ${operator} (${values.toSorted().join(',')})`;
};

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The selector as text, sorted by key, such as `app=web,tier in (a,b)`. */
export const selectorText = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => [key, `${key}=${value}`] as const),
    ...requirementsOf({ matchExpressions }).map((one) => [one.key, printed(one)] as const),
  ]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([, text]) => text)
    .join(',');
