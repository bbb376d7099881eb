/** Printers of `resource.k8s.io/v1`. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { ResourceClaim, ResourceSlice } from '../../kube/types/storage.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../fields/column.ts';

const stateOf = ({ metadata, status }: ResourceClaim): string => {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isReserved = (status?.reservedFor ?? []).length > 0;
  const state = status?.allocation
    ? ['allocated', ...(isReserved ? ['reserved'] : [])]
    : isDeleted
      ? []
      : ['pending'];
  return [...(isDeleted ? ['deleted'] : []), ...state].join(',');
};

/** The table of `kubectl get resourceclaims`. */
export const resourceClaimPrinter: Printer = {
  columns: [NAME_COLUMN, column('State', 'Whether it is allocated, and reserved for pods.'), AGE_COLUMN],
  cells: (claim: ResourceClaim, now) => [
    claim.metadata.name,
    stateOf(claim),
    ageOf(claim.metadata.creationTimestamp, now),
  ],
};

/** The table of `kubectl get resourceslices`. */
export const resourceSlicePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Node', 'The node that has the devices.'),
    column('Driver', 'The driver of the devices.'),
    column('Pool', 'The pool that the devices belong to.'),
    AGE_COLUMN,
  ],
  cells: ({ metadata, spec }: ResourceSlice, now) => [
    metadata.name,
    spec?.nodeName ?? '',
    spec?.driver ?? '',
    spec?.pool?.name ?? '',
    ageOf(metadata.creationTimestamp, now),
  ],
};

/** The table of `kubectl get deviceclasses`. */
export const deviceClassPrinter: Printer = {
  columns: [NAME_COLUMN, AGE_COLUMN],
  cells: ({ metadata }: ApiObject, now) => [metadata.name, ageOf(metadata.creationTimestamp, now)],
};
