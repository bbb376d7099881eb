/**
 * Tables that behave as AWS's: what is asked for shows after some looks, a table that is being changed takes no other change, one index is
 * built at a time, and a stream, a TTL or an index that is there is refused.
 */
import type { TableSchema } from '../../../shared/adapters/dynamodb/table/schema.ts';
import type {
  DescribedTable,
  Repair,
  TableAdmin,
} from '../../../shared/adapters/dynamodb/upkeep/table-admin.ts';

interface FakeTable {
  is: DescribedTable;
  /** Looks until the change is done. */
  left: number;
}

/** Looks that a change takes. */
const CHANGE_LOOKS = 2;
const INDEX_LOOKS = 5;

const refuse = (is: boolean, message: string): void => {
  if (is) throw Object.assign(new Error(message), { name: 'ValidationException' });
};

const changed = (is: DescribedTable, schema: TableSchema, repair: Repair): Partial<DescribedTable> => {
  switch (repair.kind) {
    case 'settle':
      return {};
    case 'billing':
      return { billing: 'PAY_PER_REQUEST' };
    case 'stream':
      refuse(is.stream !== undefined, 'Table already has an enabled stream');
      return { stream: schema.stream ?? 'none', streamArn: `${is.arn}/stream/2` };
    case 'index':
      refuse(
        is.indexes.some(({ name }) => name === repair.index.name),
        'The table already has an index of this name',
      );
      return { indexes: [...is.indexes, { ...repair.index, isActive: false }] };
    case 'ttl':
      refuse(is.ttl !== undefined, 'TimeToLive is already enabled');
      return { ttl: schema.ttl };
    case 'recovery':
      return { isRestorable: true };
    case 'protection':
      return { isProtected: true };
  }
};

const settled = (is: DescribedTable): DescribedTable => ({
  ...is,
  isActive: true,
  indexes: is.indexes.map((index) => ({ ...index, isActive: true })),
});

/** TTL and recovery leave the table as it is; all else makes it UPDATING. */
const isUpdate = ({ kind }: Repair): boolean => kind !== 'ttl' && kind !== 'recovery' && kind !== 'settle';

/** The tables of an account, by their names. `asked`: what was asked for, in order; `seen`: which answers were `busy`. */
export const createFakeTables = (given: Readonly<Record<string, DescribedTable>>) => {
  const tables = new Map<string, FakeTable>(
    Object.entries(given).map(([name, is]) => [name, { is, left: is.isActive ? 0 : CHANGE_LOOKS }]),
  );
  const asked: string[] = [];
  const repair: TableAdmin['repair'] = async (name, schema, wanted) => {
    const table = tables.get(name);
    if (!table) throw new Error(`no table ${name}`);
    if (isUpdate(wanted) && table.left > 0) return 'busy';
    if (wanted.kind !== 'settle')
      asked.push(`${name} ${wanted.kind === 'index' ? wanted.index.name : wanted.kind}`);
    table.is = { ...table.is, ...changed(table.is, schema, wanted) };
    if (isUpdate(wanted)) {
      table.is = { ...table.is, isActive: false };
      table.left = wanted.kind === 'index' ? INDEX_LOOKS : CHANGE_LOOKS;
    }
    return 'asked';
  };
  const describe: TableAdmin['describe'] = async (name) => {
    const table = tables.get(name);
    if (!table) return undefined;
    if (table.left > 0 && --table.left === 0) table.is = settled(table.is);
    return table.is;
  };
  return { admin: { describe, repair }, asked, tables };
};
