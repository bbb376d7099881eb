/** Compares tables with the schema. Pure. */
import type { IndexSchema, KeyAttribute, TableSchema } from '../table/schema.ts';
import type { FoundTable, FoundTables } from './found-tables.ts';
import { TABLE_NAMES } from './names.ts';
import type { DescribedIndex, DescribedTable, Repair, WantedTable } from './table-admin.ts';
import type { WantedTables } from './wanted-tables.ts';

/** How a table differs from the schema. */
export interface Finding {
  /** Name of the table. */
  readonly table: string;
  /** What is wrong, as a clause whose subject is the table. */
  readonly words: string;
  /** Absent: fatal. Only a person can say what becomes of the rows. */
  readonly repair?: Repair;
}

/** A finding without the name of its table. */
type Fault = Omit<Finding, 'table'>;

type Keyed = Pick<TableSchema, 'partitionKey' | 'sortKey'>;

const keyText = ({ name, type }: KeyAttribute): string => `${name} (${type})`;

const keysText = ({ partitionKey, sortKey }: Keyed): string =>
  [partitionKey, ...(sortKey ? [sortKey] : [])].map(keyText).join(', ');

const projectionText = ({ projection }: IndexSchema): string =>
  typeof projection === 'string' ? projection : projection.toSorted().join(', ');

const keyFaults = (is: Keyed, wanted: Keyed): readonly Fault[] =>
  keysText(is) === keysText(wanted)
    ? []
    : [{ words: `has the keys ${keysText(is)} instead of ${keysText(wanted)}` }];

const stateFaults = ({ isActive }: DescribedTable): readonly Fault[] =>
  isActive ? [] : [{ words: 'is being changed by AWS', repair: { kind: 'settle' } }];

/** Of provisioned units only whether there are any: auto scaling moves them. */
const billingFaults = ({ billing }: DescribedTable, { capacity }: WantedTable): readonly Fault[] => {
  const [isProvisioned, isWanted] = [billing === 'PROVISIONED', capacity !== undefined];
  if (isProvisioned === isWanted) return [];
  const words = isProvisioned
    ? 'has provisioned capacity instead of on-demand billing'
    : 'has on-demand billing instead of provisioned capacity';
  return [{ words, repair: { kind: 'billing' } }];
};

const streamFaults = (is: DescribedTable, wanted: TableSchema): readonly Fault[] => {
  if (wanted.stream === undefined || is.stream === wanted.stream) return [];
  if (is.stream === undefined) return [{ words: 'has no stream', repair: { kind: 'stream' } }];
  return [
    {
      words: `has a stream of ${is.stream} instead of ${wanted.stream}; switch it off, so that it can be made anew`,
    },
  ];
};

const indexFaults = (is: DescribedIndex | undefined, wanted: IndexSchema): readonly Fault[] => {
  const { name } = wanted;
  if (is === undefined) return [{ words: `has no index ${name}`, repair: { kind: 'index', index: wanted } }];
  const [isText, wantedText] = [is, wanted].map(
    (one) => `${keysText(one)}, projecting ${projectionText(one)}`,
  );
  if (isText !== wantedText)
    return [
      {
        words: `has an index ${name} over ${isText} instead of ${wantedText}; delete it, so that it can be made anew`,
      },
    ];
  return is.isActive
    ? []
    : [{ words: `has an index ${name} that AWS is building`, repair: { kind: 'settle' } }];
};

const ttlFaults = ({ ttl }: DescribedTable, wanted: TableSchema): readonly Fault[] => {
  if (ttl === wanted.ttl) return [];
  if (ttl === undefined) return [{ words: 'has no TTL', repair: { kind: 'ttl' } }];
  return [
    {
      words: `has its TTL in ${ttl} instead of ${wanted.ttl}; switch it off, AWS takes another an hour later`,
    },
  ];
};

const recoveryFaults = (is: DescribedTable, wanted: TableSchema): readonly Fault[] =>
  wanted.isRestorable && !is.isRestorable
    ? [{ words: 'has no point-in-time recovery', repair: { kind: 'recovery' } }]
    : [];

const protectionFaults = ({ isProtected }: DescribedTable): readonly Fault[] =>
  isProtected ? [] : [{ words: 'has no protection against deletion', repair: { kind: 'protection' } }];

const isFatal = ({ repair }: Fault): boolean => repair === undefined;

/**
 * How a table differs from its schema: what is fatal first, the others in the order in which they are repaired. Indexes that the schema
 * does not have are none of its business.
 */
export const compareTable = (
  { name, description: is }: FoundTable,
  wanted: WantedTable,
): readonly Finding[] => {
  if (is === undefined) return [{ table: name, words: 'does not exist' }];
  const indexes = new Map(is.indexes.map((index) => [index.name, index]));
  const faults = [
    ...keyFaults(is, wanted),
    ...stateFaults(is),
    ...billingFaults(is, wanted),
    ...streamFaults(is, wanted),
    ...wanted.indexes.flatMap((index) => indexFaults(indexes.get(index.name), index)),
    ...ttlFaults(is, wanted),
    ...recoveryFaults(is, wanted),
    ...protectionFaults(is),
  ];
  const inOrder = [...faults.filter(isFatal), ...faults.filter((fault) => !isFatal(fault))];
  return inOrder.map((fault) => ({ table: name, ...fault }));
};

/** The same of all tables. */
export const compareTables = (found: FoundTables, wanted: WantedTables): readonly Finding[] =>
  TABLE_NAMES.flatMap((name) => compareTable(found[name], wanted[name]));
