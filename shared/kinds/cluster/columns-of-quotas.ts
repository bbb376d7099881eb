import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../fields/column.ts';

type Amounts = Readonly<Record<string, string>>;

interface ResourceQuota extends ApiObject {
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts };
}

const amountsText = ({ status }: ResourceQuota, isShown: (name: string) => boolean): string =>
  Object.entries(status?.hard ?? {})
    .filter(([name]) => isShown(name))
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? '0'}/${hard}`)
    .join(', ');

const isLimit = (name: string): boolean => name.startsWith('limits.');

/** The table of `kubectl get resourcequotas`. */
export const resourceQuotaPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Request', 'Requested amounts, and how much may be requested.'),
    column('Limit', 'Limits of the containers, and how high they may be.'),
    AGE_COLUMN,
  ],
  cells: (quota: ResourceQuota, now) => [
    quota.metadata.name,
    amountsText(quota, (name) => !isLimit(name)),
    amountsText(quota, isLimit),
    ageOf(quota.metadata.creationTimestamp, now),
  ],
};
