import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { forEachTable } from '../../../../shared/adapters/dynamodb/upkeep/names.ts';
import type { DescribedTable } from '../../../../shared/adapters/dynamodb/upkeep/table-admin.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';
import { aDescription } from '../../../support/stores/described-tables.ts';
import { createFakeTables } from '../../../support/stores/fake-tables.ts';

const tablesWith = (change: Partial<DescribedTable>) =>
  createFakeTables(
    Object.fromEntries(
      Object.entries(forEachTable((table) => aDescription(table))).map(([table, is]) => [
        `Rollcall-east-${table}`,
        table === 'control' ? { ...is, ...change } : is,
      ]),
    ),
  );

const run = (line: string, change: Partial<DescribedTable> = {}, world: Partial<CommandContext> = {}) => {
  const { admin, restorer } = tablesWith(change);
  return runCommandLine(line, {
    tables: async () => ({ admin, restorer, rows: () => Promise.reject() }) as never,
    wait: async () => {},
    stackOutputs: async () => ({}),
    ...world,
  });
};

describe('rollcall aws repair', () => {
  it('prints each step', async () => {
    const change = { isRestorable: false, isProtected: false };
    const { code, printed } = await run('aws repair --stack Rollcall-east', change);
    expect(printed.split('\n')).toEqual([
      'Rollcall-east-control: point-in-time recovery',
      'Rollcall-east-control: protection against deletion',
      'Rollcall-east-control: AWS is at work; waiting',
      'the tables of Rollcall-east are what this version needs',
    ]);
    expect(code).toBe(0);
  });

  it.each([
    ['as the stack has it', '', { HeartbeatCapacity: '1000 nodes, each 10 s' }, 'PROVISIONED'],
    ['as it is given', ' --heartbeat-units 150,13', {}, 'PROVISIONED'],
    [
      'none, if that is given',
      ' --heartbeat-units none',
      { HeartbeatCapacity: '9 nodes, each 10 s' },
      undefined,
    ],
  ])('gives heartbeats their capacity, %s', async (_, flag, outputs, billing) => {
    const { printed } = await run(
      `aws repair --stack Rollcall-east${flag}`,
      {},
      { stackOutputs: async () => outputs },
    );
    expect(printed.includes('Rollcall-east-heartbeats: the billing')).toBe(billing !== undefined);
  });

  it('says what is fatal', async () => {
    const { code, complaint } = await run('aws repair --stack Rollcall-east', { ttl: 'y' });
    expect(complaint).toContain('Rollcall-east-control has its TTL in y instead of x');
    expect(complaint).toContain('the command may be run again');
    expect(code).toBe(1);
  });

  it('says that a stack has no tables', async () => {
    const { code, complaint } = await run('aws repair --stack Rollcall-west');
    expect(complaint).toContain('Rollcall-west-objects does not exist; Rollcall-west-changes does not exist');
    expect(code).toBe(1);
  });

  it.each([
    'aws',
    'aws mend --stack Rollcall',
    'aws repair',
    'aws repair twice --stack Rollcall',
    'aws repair --stack Rollcall --heartbeat-units 150',
  ])('refuses "rollcall %s"', async (line) => {
    const { code, complaint } = await run(line);
    expect(complaint).toContain('rollcall aws --help');
    expect(code).toBe(2);
  });
});
