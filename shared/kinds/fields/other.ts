/** The printer of kinds without one of their own. Source: apiserver v1.34 `registry/rest` `defaultTableConvertor`. */
import type { Printer } from './column.ts';
import { column, NAME_COLUMN } from './column.ts';

const NEVER = '0001-01-01T00:00:00Z';

/** The default table: name and creation time. */
export const otherPrinter: Printer = {
  columns: [NAME_COLUMN, column('Created At', 'When the object was created.', { type: 'date' })],
  cells: ({ metadata }) => [metadata?.name ?? '', metadata?.creationTimestamp ?? NEVER],
};
