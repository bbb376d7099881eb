import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../../../shared/adapters/dynamodb/table/schema.ts';
import { compareTables } from '../../../../../shared/adapters/dynamodb/upkeep/compare.ts';
import { findTables } from '../../../../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import { keptTableName, TABLE_NAMES } from '../../../../../shared/adapters/dynamodb/upkeep/names.ts';
import {
  type RestoreDeps,
  type RestoredRows,
  restoreTablesTo,
} from '../../../../../shared/adapters/dynamodb/upkeep/restore/restore.ts';
import { aDescription } from '../../../../support/stores/described-tables.ts';
import { createFakeTables, WINDOW } from '../../../../support/stores/fake-tables.ts';

const AT = Date.parse('2026-03-10T12:00:00Z');
const NOW = Date.parse('2026-03-31T00:05:00Z');
const RESTORE = { stack: 'Rollcall', generation: 1, at: AT, wanted: TABLES };
const TAG = { 'rollcall.dev/restored-to': '2026-03-10T12:00:00Z' };

/** An account with the tables of a stack, whose `control` somebody has tagged. */
const account = () => {
  const names = TABLE_NAMES.map(
    (table) => [`Rollcall-${table}`, aDescription(table, `Rollcall-${table}`)] as const,
  );
  const fake = createFakeTables(Object.fromEntries(names));
  const { arn } = aDescription('control', 'Rollcall-control');
  fake.tags.set(arn, { team: 'nodes', 'aws:cloudformation:stack-name': 'Rollcall' });
  const rows = { renewed: [] as number[], restoredTo: 0 };
  const rowsOf = (table: string, generation: number): RestoredRows => ({
    renew: async (now) => {
      expect([table, generation, fake.tables.get(table)?.is.isActive]).toEqual([
        'Rollcall-g2-control',
        2,
        true,
      ]);
      rows.renewed = [now];
    },
    isDone: async () => rows.restoredTo > 0,
    markDone: async (at) => {
      rows.restoredTo = at;
    },
  });
  return { ...fake, rows, rowsOf };
};

type Account = ReturnType<typeof account>;
type Call = (...args: readonly never[]) => unknown;

/** The same ports, whose calls are counted: the one with number `fatal` is the last one, and was or was not carried out. */
const mortal = (fatal: number, isDone: boolean) => {
  let calls = 0;
  const killed = async (work: () => unknown): Promise<unknown> => {
    const isLast = calls++ === fatal;
    if (isLast && !isDone) throw new Error('killed');
    const answer = await work();
    if (isLast) throw new Error('killed');
    return answer;
  };
  const wrap = <T extends object>(port: T): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, call]: [string, Call]) => [
        name,
        (...args: readonly never[]) => killed(() => call(...args)),
      ]),
    ) as T;
  return { wrap, calls: () => calls };
};

const depsOf = (world: Account, { wrap } = mortal(-1, false)) => {
  const said: string[] = [];
  const deps: RestoreDeps = {
    admin: wrap(world.admin),
    restorer: wrap(world.restorer),
    rows: (...args) => wrap(world.rowsOf(...args)),
    now: () => NOW,
    wait: async () => {},
    say: (text) => said.push(text),
  };
  return { deps, said };
};

/** All that a restore leaves. */
const endOf = async ({ admin, tables, tags, rows }: Account) => ({
  findings: compareTables(await findTables(admin, (table) => keptTableName('Rollcall', table, 2)), TABLES),
  tables: new Map([...tables].map(([name, { is }]) => [name, is])),
  tags: new Map(tags),
  rows,
});

const restored = async () => {
  const world = account();
  const { deps, said } = depsOf(world);
  await restoreTablesTo(deps, RESTORE);
  return { world, said };
};

describe('a restore', () => {
  it('makes the next generation, and leaves the present one', async () => {
    const { world, said } = await restored();
    const { findings, tables, tags, rows } = await endOf(world);
    expect(findings).toEqual([]);
    for (const table of TABLE_NAMES)
      expect(tables.get(`Rollcall-${table}`)).toEqual(aDescription(table, `Rollcall-${table}`));
    expect(rows).toEqual({ renewed: [NOW], restoredTo: AT });
    expect(tags.get(tables.get('Rollcall-g2-control')?.arn ?? '')).toEqual({ team: 'nodes', ...TAG });
    expect(tags.get(tables.get('Rollcall-g2-changes')?.arn ?? '')).toEqual(TAG);
    expect(tables.get('Rollcall-g2-changes')?.origin).toBeUndefined();
    expect(said.filter((line) => !line.includes('AWS is'))).toEqual([
      'Rollcall-g2-objects: restoring Rollcall-objects as it was at 2026-03-10T12:00:00Z',
      'Rollcall-g2-heartbeats: restoring Rollcall-heartbeats as it was at 2026-03-10T12:00:00Z',
      'Rollcall-g2-control: restoring Rollcall-control as it was at 2026-03-10T12:00:00Z',
      'waiting until AWS has restored the tables: minutes to hours',
      'Rollcall-g2-changes: creating it empty',
      'Rollcall-g2-objects: the stream',
      'Rollcall-g2-objects: the TTL',
      'Rollcall-g2-objects: point-in-time recovery',
      'Rollcall-g2-objects: protection against deletion',
      'Rollcall-g2-changes: the TTL',
      'Rollcall-g2-changes: protection against deletion',
      'Rollcall-g2-heartbeats: the TTL',
      'Rollcall-g2-heartbeats: point-in-time recovery',
      'Rollcall-g2-heartbeats: protection against deletion',
      'Rollcall-g2-control: the TTL',
      'Rollcall-g2-control: point-in-time recovery',
      'Rollcall-g2-control: protection against deletion',
      'Rollcall-g2-control: taking out what does not hold for an earlier instant',
    ]);
  });

  it('that is killed at any call, before or after it was carried out, and run again ends as one that was not', async () => {
    const { world: whole } = await restored();
    const wanted = await endOf(whole);
    for (const isDone of [false, true])
      for (let fatal = 0, wasKilled = true; wasKilled; fatal++) {
        const world = account();
        const first = restoreTablesTo(depsOf(world, mortal(fatal, isDone)).deps, RESTORE);
        wasKilled = await first.then(
          () => false,
          ({ message }: Error) => message === 'killed',
        );
        await restoreTablesTo(depsOf(world).deps, RESTORE);
        expect(await endOf(world), `killed at call ${fatal}, done: ${isDone}`).toEqual(wanted);
        expect(wasKilled || fatal > 50).toBe(true);
      }
  });

  it('that has ended does nothing more: its tables may be deployed', async () => {
    const { world } = await restored();
    world.rows.renewed = [];
    const { deps, said } = depsOf(world);
    await restoreTablesTo(deps, RESTORE);
    expect([world.rows.renewed, said]).toEqual([[], []]);
  });

  it.each<[string, number, RegExp]>([
    [
      'before the window',
      WINDOW.earliest - 1000,
      /^Rollcall-objects can be restored to instants from 2026-03-01T00:00:00Z to 2026-03-31T00:00:00Z$/,
    ],
    ['after the window', WINDOW.latest + 1000, /can be restored to instants from/],
  ])('to an instant %s is refused before anything is done', async (_what, at, words) => {
    const world = account();
    await expect(restoreTablesTo(depsOf(world).deps, { ...RESTORE, at })).rejects.toThrow(words);
    expect(world.tables.size).toBe(4);
  });

  it.each(['objects', 'changes'] as const)(
    'does not take a table %s that another restore made',
    async (table) => {
      const { world } = await restored();
      world.rows.restoredTo = 0;
      for (const one of TABLE_NAMES) if (one !== table) world.tables.delete(`Rollcall-g2-${one}`);
      await expect(restoreTablesTo(depsOf(world).deps, { ...RESTORE, at: AT + 1000 })).rejects.toThrow(
        `Rollcall-g2-${table} exists, and no restore to 2026-03-10T12:00:01Z made it; delete it, or give the instant of the restore that did`,
      );
      expect(world.tables.size).toBe(5);
    },
  );

  it.each<[string, (world: Account) => void, string]>([
    [
      'without recovery',
      ({ tables }) =>
        void tables.set('Rollcall-control', {
          is: { ...aDescription('control'), isRestorable: false },
          left: 0,
        }),
      'Rollcall-control has no point-in-time recovery',
    ],
    [
      'that is gone',
      ({ tables }) => void tables.delete('Rollcall-heartbeats'),
      'there is no table Rollcall-heartbeats to restore',
    ],
  ])('of a table %s is refused before anything is done', async (_what, change, words) => {
    const world = account();
    change(world);
    await expect(restoreTablesTo(depsOf(world).deps, RESTORE)).rejects.toThrow(words);
    expect([...world.tables.keys()].filter((name) => name.includes('g2'))).toEqual([]);
  });
});
