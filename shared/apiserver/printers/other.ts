/** Kinds without a printer of their own. Source: apiserver v1.34 `registry/rest` `defaultTableConvertor`. */
import type { Printer } from './printer.ts';
import { column, NAME_COLUMN } from './printer.ts';

const NEVER = '0001-01-01T00:00:00Z';

export const otherPrinter: Printer = {
  columns: [NAME_COLUMN, column('Created At', 'When the object was created.', { type: 'date' })],
  cells: ({ metadata }) => [metadata?.name ?? '', metadata?.creationTimestamp ?? NEVER],
};
