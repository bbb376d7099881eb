/** Whether two label selectors can select the same object. */
import type { LabelSelector, LabelSelectorRequirement } from '../types/meta.ts';

/** What the requirements say about one key. */
interface Demand {
  readonly isThere: boolean;
  readonly isAbsent: boolean;
  /** Values that are possible; `undefined`: any. */
  readonly among: readonly string[] | undefined;
  readonly except: readonly string[];
}

const ANYTHING: Demand = { isThere: false, isAbsent: false, among: undefined, except: [] };

const both = (a: readonly string[] | undefined, b: readonly string[]): readonly string[] =>
  a ? a.filter((value) => b.includes(value)) : b;

const withRequirement = (
  demand: Demand,
  { operator = '', values = [] }: LabelSelectorRequirement,
): Demand => {
  switch (operator) {
    case 'In':
      return { ...demand, isThere: true, among: both(demand.among, values) };
    case 'NotIn':
      return { ...demand, except: [...demand.except, ...values] };
    case 'Exists':
      return { ...demand, isThere: true };
    case 'DoesNotExist':
      return { ...demand, isAbsent: true };
    default:
      return { ...demand, isThere: true, isAbsent: true };
  }
};

const canBeMet = ({ isThere, isAbsent, among, except }: Demand): boolean => {
  if (isAbsent) return !isThere;
  return among === undefined || among.some((value) => !except.includes(value));
};

const requirementsOf = (selector: LabelSelector | undefined): readonly LabelSelectorRequirement[] => [
  ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  })),
  ...(selector?.matchExpressions ?? []),
];

/**
 * True if labels exist that both selectors select: decided from the selectors, so that it holds for every node to come. An
 * absent selector selects every node here.
 */
export const selectorsOverlap = (a: LabelSelector | undefined, b: LabelSelector | undefined): boolean => {
  const demands = new Map<string, Demand>();
  for (const requirement of [...requirementsOf(a), ...requirementsOf(b)]) {
    const { key = '' } = requirement;
    demands.set(key, withRequirement(demands.get(key) ?? ANYTHING, requirement));
  }
  return [...demands.values()].every(canBeMet);
};
