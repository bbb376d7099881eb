/** Prints labels and selectors as text. Source: apimachinery v1.34 `pkg/labels`, `meta/v1` `FormatLabelSelector`. */
import { NONE } from './column.ts';

type Labels = Readonly<Record<string, string>>;

/** A label selector as printers read it. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

const equalities = (labels: Labels): readonly (readonly [string, string])[] =>
  Object.entries(labels).map(([key, value]) => [key, `${key}=${value}`] as const);

const joined = (parts: readonly (readonly [string, string])[]): string =>
  parts
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, text]) => text)
    .join(',') || NONE;

const expressionText = ({ key, operator, values = [] }: Expression): string => {
  const set = `(${[...values].sort().join(',')})`;
  switch (operator) {
    case 'In':
      return `${key} in ${set}`;
    case 'NotIn':
      return `${key} notin ${set}`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
};

/** `a=b,c=d`, or `<none>`; sorted by the whole pair, so `a-b=d` comes before `a=c`. */
export const labelText = (labels: Labels = {}): string =>
  joined(equalities(labels).map(([, text]) => [text, text] as const));

/** `a=b,c in (d,e),!f`, or `<none>`. */
export const selectorText = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string =>
  joined([
    ...equalities(matchLabels),
    ...matchExpressions.map((expression) => [expression.key, expressionText(expression)] as const),
  ]);
