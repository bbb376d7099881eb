/** Rules for topology spread constraints. Source: core validation v1.34 `validateTopologySpreadConstraints`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import type { Spread } from '../../kube/types/affinity.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validateLabelKeys } from './label-keys.ts';

const UNSATISFIABLE: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION: readonly string[] = ['Honor', 'Ignore'];
const POSITIVE = 'must be greater than zero';

const minDomainsFaults = (
  { minDomains, whenUnsatisfiable = '' }: Spread,
  field: string,
): readonly FieldError[] => {
  if (minDomains === undefined) return [];
  const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [
    ...(minDomains > 0 ? [] : [invalidValue(field, minDomains, POSITIVE)]),
    ...(whenUnsatisfiable === 'DoNotSchedule' ? [] : [invalidValue(field, minDomains, rule)]),
  ];
};

const inclusionFaults = (policy: string | undefined, field: string): readonly FieldError[] =>
  policy === undefined || INCLUSION.includes(policy) ? [] : [notSupported(field, policy, INCLUSION)];

const validateSpread = (spread: Spread, at: string): readonly FieldError[] => {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' } = spread;
  return [
    ...(maxSkew > 0 ? [] : [invalidValue(`${at}.maxSkew`, maxSkew, POSITIVE)]),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...(UNSATISFIABLE.includes(whenUnsatisfiable)
      ? []
      : [notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, UNSATISFIABLE)]),
  ];
};

const identity = ({ topologyKey, whenUnsatisfiable }: Spread): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

/** Index of the last constraint with each topology key and action. */
const lastPlaces = (spreads: readonly Spread[]): ReadonlyMap<string, number> =>
  new Map(spreads.map((spread, index) => [identity(spread), index]));

const repeatFaults = (spread: Spread, isRepeated: boolean, at: string): readonly FieldError[] =>
  isRepeated
    ? [
        duplicate(
          `${at}.{topologyKey, whenUnsatisfiable}`,
          `{${spread.topologyKey ?? ''}, ${spread.whenUnsatisfiable ?? ''}}`,
        ),
      ]
    : [];

/** Rules for topology spread constraints. Of two equal ones, Kubernetes reports the first. */
export const validateTopologySpread = (spreads: readonly Spread[], field: string): readonly FieldError[] => {
  const last = lastPlaces(spreads);
  return spreads.flatMap((spread, index) => {
    const at = `${field}[${index}]`;
    return [
      ...validateSpread(spread, at),
      ...repeatFaults(spread, (last.get(identity(spread)) ?? index) > index, at),
      ...minDomainsFaults(spread, `${at}.minDomains`),
      ...inclusionFaults(spread.nodeAffinityPolicy, `${at}.nodeAffinityPolicy`),
      ...inclusionFaults(spread.nodeTaintsPolicy, `${at}.nodeTaintsPolicy`),
      ...validateLabelKeys(spread, at),
      ...validateSelector(spread.labelSelector, `${at}.labelSelector`),
    ];
  });
};
