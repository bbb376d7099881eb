/** The names of what may outlive its stack. They contain the stack's name, so that two clusters fit into one account. */
import { TABLES, type TableNames } from '../table/schema.ts';

export type TableName = keyof TableNames;

const isTable = (name: string): name is TableName => Object.hasOwn(TABLES, name);

/** The four tables, as `TABLES` names them. */
export const TABLE_NAMES: readonly TableName[] = Object.keys(TABLES).filter(isTable);

/** What a function gives for each table. */
export const forEachTable = <T>(make: (table: TableName) => T): Readonly<Record<TableName, T>> => ({
  objects: make('objects'),
  changes: make('changes'),
  heartbeats: make('heartbeats'),
  control: make('control'),
});

/** Name of a table of a stack. A stack makes generation 1, and each restore the next. */
export const keptTableName = (stackName: string, table: TableName, generation = 1): string =>
  generation === 1 ? `${stackName}-${table}` : `${stackName}-g${generation}-${table}`;

/** Name of the secret with the signing keys. */
export const keptSigningKeyName = (stackName: string): string => `${stackName}-signing-key`;
