import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import { validateMetadata } from '../fields/metadata.ts';
import { notNegative } from '../fields/not-negative.ts';

/** Rules of a Lease. Source: coordination validation v1.34 `ValidateLeaseSpec`. */
export const validateLease = (lease: Lease): readonly FieldError[] => {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = lease.spec ?? {};
  return [
    ...validateMetadata(lease.metadata, { namespaced: true }),
    ...(duration !== undefined && duration <= 0
      ? [invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
      : []),
    ...notNegative(transitions, 'spec.leaseTransitions'),
  ];
};
