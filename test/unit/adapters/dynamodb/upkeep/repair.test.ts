import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../../../shared/adapters/dynamodb/table/schema.ts';
import { compareTables } from '../../../../../shared/adapters/dynamodb/upkeep/compare.ts';
import { findTables } from '../../../../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import { type RepairDeps, repairTables } from '../../../../../shared/adapters/dynamodb/upkeep/repair.ts';
import type { DescribedTable } from '../../../../../shared/adapters/dynamodb/upkeep/table-admin.ts';
import {
  tablesForFleet,
  type WantedTables,
} from '../../../../../shared/adapters/dynamodb/upkeep/wanted-tables.ts';
import { aDescription } from '../../../../support/stores/described-tables.ts';
import { createFakeTables } from '../../../../support/stores/fake-tables.ts';

const nameOf = (table: string): string => `Rollcall-${table}`;

/** As AWS leaves the table `objects` after a restore, and with two of its indexes. */
const restored = (): DescribedTable => {
  const { stream: _stream, streamArn: _arn, ttl: _ttl, ...rest } = aDescription('objects');
  return {
    ...rest,
    indexes: rest.indexes.slice(0, 2),
    isRestorable: false,
    isProtected: false,
    billing: 'PROVISIONED',
  };
};

const account = (objects: DescribedTable = restored()) =>
  createFakeTables({
    'Rollcall-objects': objects,
    'Rollcall-changes': aDescription('changes'),
    'Rollcall-heartbeats': { ...aDescription('heartbeats'), isActive: false },
    'Rollcall-control': aDescription('control'),
  });

type Account = ReturnType<typeof account>;

const repair = async ({ admin }: Account, more: Partial<RepairDeps> = {}, wanted: WantedTables = TABLES) => {
  const said: string[] = [];
  const deps = { admin, wait: async () => {}, say: (text: string) => said.push(text), ...more };
  await repairTables(deps, nameOf, wanted);
  return said;
};

const findings = async ({ admin }: Account) => compareTables(await findTables(admin, nameOf), TABLES);

const STEPS = ['billing', 'stream', 'unbound-pods', 'terminated-pods', 'ttl', 'recovery', 'protection'].map(
  (step) => `Rollcall-objects ${step}`,
);

describe('a repair', () => {
  it('gives the table of heartbeats the capacity that is wanted, and takes it away', async () => {
    const world = account(aDescription('objects'));
    const wanted = tablesForFleet({ nodes: 1_000, intervalSeconds: 10 });
    const billing = async () => (await world.admin.describe('Rollcall-heartbeats'))?.billing;
    expect(await repair(world, {}, wanted)).toContain('Rollcall-heartbeats: the billing');
    expect([await billing(), await repair(world, {}, wanted)]).toEqual(['PROVISIONED', []]);
    await repair(world);
    expect(await billing()).toBe('PAY_PER_REQUEST');
  });

  it('does what is missing in order, each when the one before is done, and says so', async () => {
    const world = account();
    expect(await repair(world)).toEqual([
      'Rollcall-objects: the billing',
      'Rollcall-objects: AWS is at work; waiting',
      'Rollcall-objects: the stream',
      'Rollcall-objects: the index unbound-pods',
      'Rollcall-objects: the index terminated-pods',
      'Rollcall-objects: the TTL',
      'Rollcall-objects: point-in-time recovery',
      'Rollcall-objects: protection against deletion',
    ]);
    expect(world.asked).toEqual(STEPS);
    expect(await findings(world)).toEqual([]);
  });

  it('that is run again does nothing', async () => {
    const world = account();
    await repair(world);
    expect(await repair(world)).toEqual([]);
    expect(world.asked).toEqual(STEPS);
  });

  it.each(Array.from({ length: 24 }, (_, looks) => looks))(
    'that ends after %i looks goes on where it was, and asks for nothing twice',
    async (looks) => {
      const world = account();
      let left = looks;
      const wait = async (): Promise<void> => {
        if (left-- === 0) throw new Error('killed');
      };
      await repair(world, { wait }).catch((error: Error) => expect(error.message).toBe('killed'));
      await repair(world);
      expect(world.asked).toEqual(STEPS);
      expect(await findings(world)).toEqual([]);
    },
  );

  it('waits while AWS is busy, and says so once', async () => {
    const world = account({ ...aDescription('objects'), isProtected: false });
    let busy = 5;
    const admin = {
      ...world.admin,
      repair: (async (...args) =>
        busy-- > 0 ? ('busy' as const) : world.admin.repair(...args)) satisfies Account['admin']['repair'],
    };
    expect((await repair(world, { admin })).slice(0, 2)).toEqual([
      'Rollcall-objects: protection against deletion',
      'Rollcall-objects: AWS is busy with it; waiting',
    ]);
    expect(await findings(world)).toEqual([]);
  });

  it('gives up if AWS never shows what it has taken', async () => {
    const world = account({ ...aDescription('objects'), isProtected: false });
    const admin = { ...world.admin, repair: async () => 'asked' as const };
    await expect(repair(world, { admin })).rejects.toThrow(
      'AWS was asked for protection against deletion of Rollcall-objects, and does not show it; try again later',
    );
  });

  it('does nothing at all if something is fatal, and names all of it', async () => {
    const world = account({ ...restored(), sortKey: { name: 'a', type: 'S' } });
    world.tables.delete('Rollcall-control');
    await expect(repair(world)).rejects.toThrow(
      'Rollcall-objects has the keys pk (S), a (S) instead of pk (S), sk (S); Rollcall-control does not exist',
    );
    expect(world.asked).toEqual([]);
  });
});
