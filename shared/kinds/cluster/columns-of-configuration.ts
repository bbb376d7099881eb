/** Printers of namespaces, ConfigMaps, Secrets, ServiceAccounts and Leases. */

import { ageOf } from '../../kube/text/human-duration.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import type { Namespace } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../fields/column.ts';

const DATA = column('Data', 'How many entries it has.');

interface Holder extends ApiObject {
  readonly type?: string;
  readonly data?: object;
  readonly binaryData?: object;
  readonly secrets?: readonly object[];
}

const size = (data: object = {}): number => Object.keys(data).length;

/** The table of `kubectl get namespaces`. */
export const namespacePrinter: Printer = {
  columns: [NAME_COLUMN, column('Status', 'Whether it is in use or being deleted.'), AGE_COLUMN],
  cells: ({ metadata, status }: Namespace, now) => [
    metadata.name,
    status?.phase ?? '',
    ageOf(metadata.creationTimestamp, now),
  ],
};

/** The table of `kubectl get configmaps`. */
export const configMapPrinter: Printer = {
  columns: [NAME_COLUMN, DATA, AGE_COLUMN],
  cells: ({ metadata, data, binaryData }: Holder, now) => [
    metadata.name,
    size(data) + size(binaryData),
    ageOf(metadata.creationTimestamp, now),
  ],
};

/** The table of `kubectl get secrets`. */
export const secretPrinter: Printer = {
  columns: [NAME_COLUMN, column('Type', 'What the entries are for.'), DATA, AGE_COLUMN],
  cells: ({ metadata, type, data }: Holder, now) => [
    metadata.name,
    type ?? '',
    size(data),
    ageOf(metadata.creationTimestamp, now),
  ],
};

/** The table of `kubectl get serviceaccounts`. */
export const serviceAccountPrinter: Printer = {
  columns: [NAME_COLUMN, column('Secrets', 'How many secrets its pods may use.'), AGE_COLUMN],
  cells: ({ metadata, secrets }: Holder, now) => [
    metadata.name,
    secrets?.length ?? 0,
    ageOf(metadata.creationTimestamp, now),
  ],
};

/** The table of `kubectl get leases`. */
export const leasePrinter: Printer = {
  columns: [NAME_COLUMN, column('Holder', 'Who holds the lease.'), AGE_COLUMN],
  cells: ({ metadata, spec }: Lease, now) => [
    metadata.name,
    spec?.holderIdentity ?? '',
    ageOf(metadata.creationTimestamp, now),
  ],
};
