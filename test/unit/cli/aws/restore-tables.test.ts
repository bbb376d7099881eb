import { describe, expect, it } from 'vitest';
import { forEachTable } from '../../../../shared/adapters/dynamodb/upkeep/names.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';
import { aDescription } from '../../../support/stores/described-tables.ts';
import { createFakeTables } from '../../../support/stores/fake-tables.ts';

type Outputs = Readonly<Record<string, string>>;

const AT = '--at 2026-03-10T12:00:00.9Z';

const run = async (line: string, outputs: Outputs | Error, prefix = 'Rollcall') => {
  const entries = Object.entries(forEachTable((table) => aDescription(table, `${prefix}-${table}`)));
  const { admin, restorer, tables } = createFakeTables(
    Object.fromEntries(entries.map(([table, is]) => [`${prefix}-${table}`, is])),
  );
  const marked: [string, number, number][] = [];
  const rows = (table: string, generation: number) => ({
    renew: async () => {},
    isDone: async () => false,
    markDone: async (at: number) => void marked.push([table, generation, at]),
  });
  const answer = await runCommandLine(line, {
    tables: async () => ({ admin, restorer, rows }),
    wait: async () => {},
    stackOutputs: async () => (outputs instanceof Error ? Promise.reject(outputs) : outputs),
  });
  return { ...answer, marked, tables: [...tables.keys()] };
};

const GONE = new Error('Stack with id Rollcall does not exist');

describe('rollcall aws restore', () => {
  it('restores what the stack has to a whole second, and prints how to deploy it', async () => {
    const outputs = { Paused: 'true', StateGeneration: '3' };
    const { code, printed, marked } = await run(`aws restore --stack Rollcall ${AT}`, outputs, 'Rollcall-g3');
    expect(marked).toEqual([['Rollcall-g4-control', 4, Date.parse('2026-03-10T12:00:00Z')]]);
    expect(printed).toContain(
      'Rollcall-g4-objects: restoring Rollcall-g3-objects as it was at 2026-03-10T12:00:00Z',
    );
    expect(printed.split('\n').slice(-3)).toEqual([
      '  npx cdk deploy -c state=kept -c stateGeneration=4',
      'and then have all nodes looked at:',
      '  npx rollcall aws resync --stack Rollcall',
    ]);
    expect(code).toBe(0);
  });

  it('restores what a deleted stack has left, if it is told the generation', async () => {
    const { marked } = await run(`aws restore --stack Rollcall --generation 1 ${AT}`, GONE);
    expect(marked).toHaveLength(1);
  });

  it.each<[string, string, Outputs | Error, number, RegExp]>([
    [
      'a stack that is not paused',
      AT,
      { StateGeneration: '1' },
      1,
      /not paused: deploy it with -c paused=true first/,
    ],
    ['a stack of which nothing is known', AT, GONE, 2, /there is no stack Rollcall: give the --generation/],
    [
      'a stack that cannot be read',
      AT,
      new Error('AccessDenied'),
      1,
      /cannot read the stack Rollcall: AccessDenied/,
    ],
    ['no instant', '', {}, 2, /give --at to restore/],
    ['an instant that is none', '--at noon', { Paused: 'true' }, 2, /give --at as an instant, such as/],
    [
      'an instant that is too old',
      '--at 2025-01-01T00:00:00Z',
      { Paused: 'true' },
      1,
      /can be restored to instants from .* again with the same --at/,
    ],
    [
      'a generation that is none',
      `--generation 0 ${AT}`,
      { Paused: 'true' },
      2,
      /--generation 0 is no whole number from 1/,
    ],
  ])('refuses %s', async (_what, options, outputs, wanted, words) => {
    const { code, complaint, tables } = await run(`aws restore --stack Rollcall ${options}`.trim(), outputs);
    expect(complaint).toMatch(words);
    expect([code, tables.length]).toEqual([wanted, 4]);
  });

  it('takes no instant for a repair', async () => {
    const { code, complaint } = await run(`aws repair --stack Rollcall ${AT}`, {});
    expect([code, complaint]).toEqual([2, expect.stringContaining('give --at to restore, and only to it')]);
  });
});
