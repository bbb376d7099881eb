import { describe, expect, it } from 'vitest';
import { summarize } from '../../../../shared/kube/errors/field-error.ts';
import { machineFinder, machinesFrom } from '../../../../shared/rules/cloud/machine-list.ts';

const MACHINE = { providerID: 'metal://r7/1', state: 'running' };

const said = (value: unknown): string => {
  const list = machinesFrom(value);
  return 'faults' in list ? summarize(list.faults) : `${list.machines.length} machines`;
};

describe('a list of machines (J-78)', () => {
  const rows: readonly [string, unknown, string][] = [
    ['is read', { machines: [MACHINE] }, '1 machines'],
    ['may be empty', { machines: [] }, '0 machines'],
    ['must be an object', [], 'machines: Invalid value: []: must be an object with a list "machines"'],
    ['must have machines', {}, 'machines: Required value'],
    ['must be a list', { machines: {} }, 'machines: Invalid value: {}: must be a list'],
    ['has objects', { machines: [7] }, 'machines[0]: Invalid value: 7: must be an object'],
    ['needs a providerID', { machines: [{ state: 'running' }] }, 'machines[0].providerID: Required value'],
    [
      'knows the states',
      { machines: [{ ...MACHINE, state: 'off' }] },
      'machines[0].state: Unsupported value: "off": supported values: "pending", "running", "stopping", "stopped", "shutting-down", "terminated"',
    ],
    [
      'refuses other fields',
      { machines: [{ ...MACHINE, color: 'red' }] },
      'machines[0].color: Invalid value: "red": no such field; there are providerID, nodeName, state, instanceType, zone, region, addresses, labels',
    ],
    [
      'has texts',
      { machines: [{ ...MACHINE, zone: 7 }] },
      'machines[0].zone: Invalid value: 7: must be a text',
    ],
    [
      'has addresses with a type',
      { machines: [{ ...MACHINE, addresses: [{ address: '10.0.0.1' }] }] },
      'machines[0].addresses[0].type: Required value',
    ],
    [
      'has labels with texts',
      { machines: [{ ...MACHINE, labels: { a: 1 } }] },
      'machines[0].labels.a: Invalid value: 1: must be a text',
    ],
    [
      'has each machine once',
      { machines: [MACHINE, MACHINE] },
      'machines[1].providerID: Duplicate value: "metal://r7/1"',
    ],
  ];
  it.each(rows)('%s', (_, value, expected) => {
    expect(said(value)).toBe(expected);
  });

  it('is searched by providerID, and by name for a Node without one', () => {
    const list = machinesFrom({
      machines: [
        { ...MACHINE, nodeName: 'n1' },
        { ...MACHINE, providerID: 'metal://r7/2' },
      ],
    });
    const find = machineFinder('machines' in list ? list.machines : []);
    expect(find('n9', 'metal://r7/1')?.providerId).toBe('metal://r7/1');
    expect(find('n1', undefined)?.providerId).toBe('metal://r7/1');
    expect(find('n1', 'metal://r7/9')).toBeUndefined();
    expect(find('n2', undefined)).toBeUndefined();
  });
});
