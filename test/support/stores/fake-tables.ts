/**
 * Tables that behave as AWS's: what is asked for shows after some looks, a table that is being changed takes no other change, one index is
 * built at a time, and a stream, a TTL or an index that is there is refused.
 */
import type { TableSchema } from '../../../shared/adapters/dynamodb/table/schema.ts';
import type { TableRestorer } from '../../../shared/adapters/dynamodb/upkeep/restore/restorer.ts';
import type {
  DescribedTable,
  Repair,
  TableAdmin,
  Tags,
  WantedTable,
} from '../../../shared/adapters/dynamodb/upkeep/table-admin.ts';
import { optional } from '../../../shared/kube/values/optional.ts';

interface FakeTable {
  is: DescribedTable;
  /** Looks until the change is done. */
  left: number;
}

/** The instants to which tables can be restored. */
export const WINDOW = {
  earliest: Date.parse('2026-03-01T00:00:00Z'),
  latest: Date.parse('2026-03-31T00:00:00Z'),
};

/** Looks that a change takes. */
const CHANGE_LOOKS = 2;
const INDEX_LOOKS = 5;

const refuse = (is: boolean, message: string): void => {
  if (is) throw Object.assign(new Error(message), { name: 'ValidationException' });
};

const changed = (is: DescribedTable, schema: WantedTable, repair: Repair): Partial<DescribedTable> => {
  switch (repair.kind) {
    case 'settle':
      return {};
    case 'billing':
      return { billing: schema.capacity ? 'PROVISIONED' : 'PAY_PER_REQUEST' };
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

/** A table as AWS makes it of a schema, or of what it restores. */
const made = (schema: TableSchema, name: string): DescribedTable => ({
  partitionKey: schema.partitionKey,
  ...optional('sortKey', schema.sortKey),
  ...(schema.stream ? { stream: schema.stream, streamArn: `${name}/stream/1` } : {}),
  arn: `arn:aws:dynamodb:eu-west-1:111122223333:table/${name}`,
  isActive: false,
  indexes: schema.indexes.map((index) => ({ ...index, isActive: true })),
  billing: 'PAY_PER_REQUEST',
  isRestorable: false,
  isProtected: false,
});

/** Looks until a new table is there at all, and then until it is made. */
const MAKING_LOOKS = 4;

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
  const tagsByArn = new Map<string, Tags>();
  const add = (name: string, is: DescribedTable): void => {
    if (!tables.has(name)) tables.set(name, { is, left: MAKING_LOOKS });
  };
  const admin: TableAdmin = {
    describe,
    repair,
    create: async (name, schema, tags) => {
      add(name, made(schema, name));
      tagsByArn.set(made(schema, name).arn, tags);
    },
    tags: async (arn) => tagsByArn.get(arn) ?? {},
    tag: async (arn, tags) => void tagsByArn.set(arn, { ...tagsByArn.get(arn), ...tags }),
  };
  const restorer: TableRestorer = {
    window: async (name) => (tables.get(name)?.is.isRestorable ? WINDOW : undefined),
    restore: async (source, target, at) => {
      const is = tables.get(source)?.is;
      if (!is) throw new Error(`no table ${source}`);
      const { stream: _stream, ...schema } = { ...is, ttl: '' };
      add(target, { ...made(schema, target), origin: { sourceArn: is.arn, at } });
    },
  };
  return { admin, restorer, asked, tables, tags: tagsByArn };
};
