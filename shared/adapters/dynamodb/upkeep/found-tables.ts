/** Looks for the tables of a stack. */
import { forEachTable, TABLE_NAMES, type TableName } from './names.ts';
import type { DescribedTable, TableAdmin } from './table-admin.ts';

/** A table that was looked for. */
export interface FoundTable {
  readonly name: string;
  /** `undefined`: there is none of this name. */
  readonly description: DescribedTable | undefined;
}

export type FoundTables = Readonly<Record<TableName, FoundTable>>;

/** Looks for the tables of these names. */
export const findTables = async (
  admin: Pick<TableAdmin, 'describe'>,
  nameOf: (table: TableName) => string,
): Promise<FoundTables> => {
  const found = new Map<TableName, DescribedTable | undefined>();
  const look = async (table: TableName) => found.set(table, await admin.describe(nameOf(table)));
  await Promise.all(TABLE_NAMES.map(look));
  return forEachTable((table) => ({ name: nameOf(table), description: found.get(table) }));
};
