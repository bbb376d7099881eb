/** Tables as AWS would describe them if they were what the schema says. */
import { TABLES } from '../../../shared/adapters/dynamodb/table/schema.ts';
import type { FoundTables } from '../../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import { forEachTable, type TableName } from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import type { DescribedTable } from '../../../shared/adapters/dynamodb/upkeep/table-admin.ts';

/** A table that is as it should be. */
export const aDescription = (table: TableName, name: string = table): DescribedTable => {
  const { indexes, stream, ...schema } = TABLES[table];
  const arn = `arn:aws:dynamodb:eu-west-1:111122223333:table/${name}`;
  return {
    ...schema,
    arn,
    isActive: true,
    indexes: indexes.map((index) => ({ ...index, isActive: true })),
    ...(stream ? { stream, streamArn: `${arn}/stream/1` } : {}),
    billing: 'PAY_PER_REQUEST',
    isProtected: true,
  };
};

/** All four, with changes to one of them. */
export const foundTables = (table?: TableName, change: Partial<DescribedTable> = {}): FoundTables =>
  forEachTable((name) => ({
    name: `Rollcall-${name}`,
    description: { ...aDescription(name, `Rollcall-${name}`), ...(name === table ? change : {}) },
  }));
