/** Rules that PersistentVolumes and their claims share. Source: core validation v1.34. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported } from '../../kube/errors/field-error.ts';
import { dnsSubdomainFaults } from '../../kube/values/names.ts';
import { compareQuantities } from '../../kube/values/quantity.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] as const;
const ONE_POD = 'ReadWriteOncePod';

/** A value may be absent. An unknown value is `NotSupported`. */
export const optionalOneOf = (
  field: string,
  value: string | undefined,
  known: readonly string[],
): readonly FieldError[] =>
  value === undefined || known.includes(value) ? [] : [notSupported(field, value, known)];

export const VOLUME_MODES = ['Block', 'Filesystem'] as const;

export const validateAccessModes = (modes: readonly string[]): readonly FieldError[] => {
  const field = 'spec.accessModes';
  const known = modes.filter((mode) => (ACCESS_MODES as readonly string[]).includes(mode));
  return [
    ...modes.flatMap((mode) => optionalOneOf(field, mode, ACCESS_MODES)),
    ...(known.includes(ONE_POD) && known.some((mode) => mode !== ONE_POD)
      ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
};

export const positiveFaults = (amount: string, field: string): readonly FieldError[] =>
  compareQuantities(amount, '0') > 0 ? [] : [invalidValue(field, amount, 'must be greater than zero')];

/** Rules for `storageClassName`. The empty name is valid: it selects no class. */
export const validateClassName = (name = ''): readonly FieldError[] =>
  name === ''
    ? []
    : dnsSubdomainFaults(name).map((fault) => invalidValue('spec.storageClassName', name, fault));
