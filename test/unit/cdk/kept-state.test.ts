import { describe, expect, it } from 'vitest';
import { keptTables } from '../../../cdk/constructs/kept-state.ts';
import { foundTables } from '../../support/stores/described-tables.ts';

describe('state=kept', () => {
  it('takes tables that are what the schema says, with the stream of the objects', () => {
    const arn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/Rollcall-objects';
    const { objects, control } = keptTables('Rollcall', foundTables());
    expect(objects).toEqual({ tableArn: arn, tableStreamArn: `${arn}/stream/1` });
    expect(control).toEqual({ tableArn: arn.replace('objects', 'control') });
  });

  it('refuses tables that differ, lists how, and names the command', () => {
    const change = { isActive: false, isProtected: false, sortKey: { name: 'a', type: 'S' as const } };
    expect(() => keptTables('Rollcall', foundTables('objects', change))).toThrow(
      [
        'state: "kept" refuses the tables of the stack Rollcall, which are not what this version needs:',
        '  - Rollcall-objects has the keys pk (S), a (S) instead of pk (S), sk (S) (fatal: the command does not mend this)',
        '  - Rollcall-objects is being changed by AWS',
        '  - Rollcall-objects has no protection against deletion',
        'To do what is missing: rollcall aws repair --stack Rollcall',
      ].join('\n'),
    );
  });

  it('names the generation, which may be another than the deployed one', () => {
    expect(() => keptTables('Rollcall', foundTables('objects', { isProtected: false }), 2)).toThrow(
      'To do what is missing: rollcall aws repair --stack Rollcall --generation 2',
    );
  });

  it('wants the table of heartbeats as the setting has it, and names the units', () => {
    const fleet = { nodes: 1_000, intervalSeconds: 10 };
    const provisioned = foundTables('heartbeats', { billing: 'PROVISIONED' });
    expect(() => keptTables('Rollcall', foundTables(), 1, fleet)).toThrow(
      /on-demand billing instead of provisioned capacity\n.*repair --stack Rollcall --heartbeat-units 150,13$/,
    );
    expect(keptTables('Rollcall', provisioned, 1, fleet)).toHaveProperty('heartbeats');
    expect(() => keptTables('Rollcall', provisioned)).toThrow(/--heartbeat-units none$/);
  });

  it('says which table is not there', () => {
    const tables = { ...foundTables(), changes: { name: 'Rollcall-changes', description: undefined } };
    expect(() => keptTables('Rollcall', tables)).toThrow(
      'state: "kept" found no table Rollcall-changes (there is none of this name)',
    );
  });
});
