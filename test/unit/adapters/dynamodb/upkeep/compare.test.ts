import { describe, expect, it } from 'vitest';
import { INDEX, TABLES } from '../../../../../shared/adapters/dynamodb/table/schema.ts';
import { compareTables } from '../../../../../shared/adapters/dynamodb/upkeep/compare.ts';
import type { TableName } from '../../../../../shared/adapters/dynamodb/upkeep/names.ts';
import type { DescribedTable } from '../../../../../shared/adapters/dynamodb/upkeep/table-admin.ts';
import { aDescription, foundTables } from '../../../../support/stores/described-tables.ts';

/** The table without some of what it has. */
const without = (table: TableName, ...names: readonly (keyof DescribedTable)[]): DescribedTable => {
  const kept = Object.entries(aDescription(table)).filter(([name]) => !names.some((gone) => gone === name));
  return {
    ...aDescription(table),
    ...Object.fromEntries(kept),
    ...Object.fromEntries(names.map((n) => [n, undefined])),
  };
};

const { indexes } = aDescription('objects');

/** The table with another first index. */
const withFirst = (change: Partial<DescribedTable['indexes'][number]>): Partial<DescribedTable> => ({
  indexes: indexes.map((index, n) => (n === 0 ? { ...index, ...change } : index)),
});

const found = (table: TableName, change: Partial<DescribedTable>) =>
  compareTables(foundTables(table, change), TABLES).map(({ table: name, words, repair }) => [
    name,
    repair?.kind ?? 'fatal',
    words,
  ]);

describe('tables', () => {
  it('that are what the schema says have no finding', () => {
    expect(compareTables(foundTables(), TABLES)).toEqual([]);
  });

  it.each<[string, TableName, Partial<DescribedTable>, string, string]>([
    [
      'a number as partition key',
      'objects',
      { partitionKey: { name: 'pk', type: 'N' } },
      'fatal',
      'has the keys pk (N), sk (S) instead of pk (S), sk (S)',
    ],
    [
      'another sort key',
      'changes',
      { sortKey: { name: 'x', type: 'N' } },
      'fatal',
      'has the keys pk (S), x (N) instead of pk (S), sk (N)',
    ],
    [
      'a sort key where there is none',
      'heartbeats',
      { sortKey: { name: 'sk', type: 'S' } },
      'fatal',
      'has the keys pk (S), sk (S) instead of pk (S)',
    ],
    ['a change that AWS makes', 'control', { isActive: false }, 'settle', 'is being changed by AWS'],
    [
      'provisioned capacity',
      'heartbeats',
      { billing: 'PROVISIONED' },
      'billing',
      'has provisioned capacity instead of on-demand billing',
    ],
    ['no stream', 'objects', without('objects', 'stream'), 'stream', 'has no stream'],
    [
      'a stream of keys',
      'objects',
      { stream: 'KEYS_ONLY' },
      'fatal',
      'has a stream of KEYS_ONLY instead of NEW_AND_OLD_IMAGES; switch it off, so that it can be made anew',
    ],
    ['an index less', 'objects', { indexes: indexes.slice(1) }, 'index', `has no index ${INDEX.nodeHealth}`],
    [
      'an index that is built',
      'objects',
      withFirst({ isActive: false }),
      'settle',
      `has an index ${INDEX.nodeHealth} that AWS is building`,
    ],
    ['no TTL', 'control', without('control', 'ttl'), 'ttl', 'has no TTL'],
    [
      'another TTL',
      'control',
      { ttl: 'ttl' },
      'fatal',
      'has its TTL in ttl instead of x; switch it off, AWS takes another an hour later',
    ],
    ['no recovery', 'objects', { isRestorable: false }, 'recovery', 'has no point-in-time recovery'],
    ['no protection', 'changes', { isProtected: false }, 'protection', 'has no protection against deletion'],
  ])('with %s have one finding', (_what, table, change, kind, words) => {
    expect(found(table, change)).toEqual([[`Rollcall-${table}`, kind, words]]);
  });

  it.each<[string, Partial<DescribedTable['indexes'][number]>]>([
    ['another sort key', { sortKey: { name: 'ca', type: 'S' } }],
    ['fewer attributes', { projection: 'keys' }],
    ['other attributes', { projection: ['u', 'z'] }],
  ])('with an index that has %s have a fatal finding', (_what, change) => {
    expect(found('objects', withFirst(change))).toEqual([
      [
        'Rollcall-objects',
        'fatal',
        expect.stringMatching(/^has an index node-health over .* instead of .*; delete it/),
      ],
    ]);
  });

  it.each<[string, TableName, Partial<DescribedTable>]>([
    ['a stream that nobody reads', 'control', { stream: 'KEYS_ONLY' }],
    ['recovery of the change log', 'changes', { isRestorable: true }],
    [
      'an index more',
      'objects',
      {
        indexes: [
          ...indexes,
          { name: 'mine', partitionKey: { name: 'x', type: 'N' }, projection: 'all', isActive: true },
        ],
      },
    ],
    [
      'the attributes of an index in another order',
      'objects',
      withFirst({ projection: ['ne', 'cr', 'ex', 'rt', 'r', 'z', 'u'] }),
    ],
  ])('may have %s', (_what, table, change) => {
    expect(found(table, change)).toEqual([]);
  });

  it('tell what is fatal first, and what can be repaired in the order of the repair', () => {
    const change = {
      ...without('objects', 'stream', 'ttl'),
      indexes: [],
      isProtected: false,
      sortKey: { name: 'a', type: 'S' as const },
    };
    expect(found('objects', change).map(([, kind]) => kind)).toEqual([
      'fatal',
      'stream',
      'index',
      'index',
      'index',
      'index',
      'ttl',
      'protection',
    ]);
  });

  it('that do not exist are fatal', () => {
    const tables = { ...foundTables(), control: { name: 'Rollcall-control', description: undefined } };
    expect(compareTables(tables, TABLES)).toEqual([{ table: 'Rollcall-control', words: 'does not exist' }]);
  });
});
