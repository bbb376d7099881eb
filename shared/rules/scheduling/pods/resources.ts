/** Amounts of resources as numbers. Source: kubernetes v1.34 scheduler `framework.Resource`. */
import type { Amounts } from '../../../kube/types/core.ts';
import { quantityMilliValue, quantityValue } from '../../../kube/values/quantity.ts';

/** Amounts by the name of the resource: `cpu` in thousandths of a core, everything else in bytes or pieces. */
export type Resources = ReadonlyMap<string, number>;

/** Nothing of any resource. */
export const NO_RESOURCES: Resources = new Map();

/** Reads quantities. Fractions of a unit are rounded up. */
export const resourcesOf = (list: Amounts | undefined): Resources => {
  if (!list) return NO_RESOURCES;
  const read = ([name, text]: [string, string]): [string, number] => [
    name,
    name === 'cpu' ? quantityMilliValue(text) : quantityValue(text),
  ];
  return new Map(Object.entries(list).map(read));
};

const merged = (a: Resources, b: Resources, join: (mine: number, other: number) => number): Resources => {
  if (b.size === 0) return a;
  const result = new Map(a);
  for (const [name, amount] of b) result.set(name, join(a.get(name) ?? 0, amount));
  return result;
};

/** The sum of both, for each resource. */
export const addResources = (a: Resources, b: Resources): Resources =>
  merged(a, b, (mine, other) => mine + other);

/** `a` without `b`. */
export const subtractResources = (a: Resources, b: Resources): Resources =>
  merged(a, b, (mine, other) => mine - other);

/** The larger of the two, for each resource. */
export const maxResources = (a: Resources, b: Resources): Resources => merged(a, b, Math.max);
