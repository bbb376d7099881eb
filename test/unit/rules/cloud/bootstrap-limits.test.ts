import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  isMadeBy,
  limitedNode,
  limitFault,
  limitsIn,
} from '../../../../shared/rules/cloud/bootstrap-limits.ts';
import {
  machineDoubt,
  verifiedMachine,
  withMachine,
} from '../../../../shared/rules/cloud/verified-machine.ts';

const EC2 = 'aws:///eu-central-1a/i-0123456789abcdef0';
const nodeOf = (name: string, providerID?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...(providerID === undefined ? {} : { spec: { providerID } }),
});

describe('the limits of a bootstrap token', () => {
  it.each([
    [{ node: 'n1' }, true],
    [{ uses: 1 }, true],
    [{ providerId: EC2, uses: 1, node: 'n1' }, true],
    [{}, false],
    [{ uses: 0 }, false],
    [{ uses: -1 }, false],
    [{ uses: 1.5 }, false],
    [{ uses: '3' }, false],
    [{ uses: 1e9 }, false],
    [{ node: '' }, false],
    [{ node: 7 }, false],
    [{ providerId: 'a b' }, false],
    [{ node: 'n1', notBefore: 3 }, false],
    [{ toString: 'x' }, false],
  ])('%o is understood as a whole, or not at all: %s (C-33)', (claim, isKnown) => {
    expect(limitsIn(claim)).toEqual(isKnown ? claim : undefined);
  });

  it.each([
    ['no name', {}, nodeOf('n2'), undefined],
    ['its name', { node: 'n1' }, nodeOf('n1'), undefined],
    ['another name', { node: 'n1' }, nodeOf('n2'), 'this bootstrap token is for the node "n1"'],
    ['its machine', { providerId: EC2 }, nodeOf('n1', EC2), undefined],
    [
      'another machine',
      { providerId: EC2 },
      nodeOf('n1', 'x'),
      `this bootstrap token is for the machine "${EC2}"`,
    ],
    ['no machine', { providerId: EC2 }, nodeOf('n1'), `this bootstrap token is for the machine "${EC2}"`],
  ])('%s (C-34)', (_what, limits, node, fault) => {
    expect(limitFault(limits, node)).toBe(fault);
  });

  it('mark the Node as made by the token, and its machine as verified, which no provider takes back (C-35)', () => {
    const node = limitedNode(nodeOf('n1'), { providerId: EC2 }, 't1');
    expect([isMadeBy(node, 't1'), isMadeBy(node, 't2'), node.spec?.providerID]).toEqual([true, false, EC2]);
    expect([verifiedMachine(node), machineDoubt(node)]).toEqual([EC2, undefined]);
    const other = { providerId: EC2, state: 'running', nodeName: 'n2' } as const;
    expect(withMachine(node, other, true)).toBe(node);
  });

  it('without a machine verify none (C-35)', () => {
    const node = limitedNode(nodeOf('n1', EC2), { uses: 3 }, 't1');
    expect([isMadeBy(node, 't1'), machineDoubt(node)]).toEqual([true, 'MachineNotVerified']);
  });
});
