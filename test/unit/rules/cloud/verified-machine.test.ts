import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { Instance } from '../../../../shared/rules/cloud/instance.ts';
import { MACHINE_ANNOTATION } from '../../../../shared/rules/cloud/machine-annotation.ts';
import {
  isNamedFor,
  machineDoubt,
  operatorMachine,
  verifiedMachine,
  withMachine,
} from '../../../../shared/rules/cloud/verified-machine.ts';

const nodeWith = (providerID: string, word?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', ...(word === undefined ? {} : { annotations: { [MACHINE_ANNOTATION]: word } }) },
  spec: { providerID },
});

const I1 = 'aws:///eu-west-1a/i-1';
const answer = (nodeName?: string, providerId = I1): Instance => ({
  providerId,
  state: 'running',
  ...(nodeName === undefined ? {} : { nodeName }),
});

describe('what a Node may be believed about its machine (J-391, J-392)', () => {
  it.each<[string, string, string | undefined, string, string | undefined, boolean]>([
    ['its own word is no proof', I1, undefined, '', 'MachineNotVerified', false],
    ['the provider names it', I1, 'i-1 cloud', I1, undefined, true],
    ['another Node names the machine, too', I1, 'i-1 ambiguous', '', 'MachineAmbiguous', true],
    ['an administrator says so', I1, 'i-1 operator', I1, undefined, true],
    ['an administrator says so of a Node that names none', '', 'i-1 operator', 'i-1', undefined, true],
    [
      'an administrator counts above the Node',
      'aws:///eu-west-1a/i-2',
      'i-1 operator',
      'i-1',
      undefined,
      true,
    ],
    [
      'the Node has named another machine since',
      'aws:///eu-west-1a/i-2',
      'i-1 cloud',
      '',
      'MachineNotVerified',
      false,
    ],
    ['a word that is no proof', I1, 'i-1 hearsay', '', 'MachineNotVerified', false],
    ['a proof of nothing', I1, ' cloud', '', 'MachineNotVerified', false],
    ['more than two words', I1, 'i-1 cloud cloud', '', 'MachineNotVerified', false],
  ])('%s', (_case, providerID, word, machine, doubt, isNamed) => {
    const node = nodeWith(providerID, word);
    expect(verifiedMachine(node)).toBe(machine);
    expect(machineDoubt(node)).toBe(doubt);
    expect(isNamedFor(node, 'i-1')).toBe(isNamed);
    expect(isNamedFor(node, 'i-9')).toBe(false);
    expect(operatorMachine(node)).toBe(word === 'i-1 operator' ? 'i-1' : '');
  });
});

describe('what an answer proves (J-391)', () => {
  const after = (
    node: Node,
    ...[said, isShared = false]: readonly [Parameters<typeof withMachine>[1], boolean?]
  ) => withMachine(node, said, isShared).metadata.annotations?.[MACHINE_ANNOTATION];

  it.each<[string, Node, Parameters<typeof withMachine>[1], boolean, string | undefined]>([
    ['it names this Node', nodeWith(I1), answer('n1'), false, 'i-1 cloud'],
    ['it names this Node, which names no machine', nodeWith(''), answer('n1'), false, 'i-1 cloud'],
    [
      'it names this Node, and another one names the machine',
      nodeWith(I1),
      answer('n1'),
      true,
      'i-1 ambiguous',
    ],
    ['it names another Node', nodeWith(I1), answer('n2'), false, undefined],
    ['it names no Node', nodeWith(I1), answer(), false, undefined],
    [
      'the zone of the providerID is another',
      nodeWith('aws:///eu-west-1b/i-1'),
      answer('n1'),
      false,
      undefined,
    ],
    ['it names another Node now', nodeWith(I1, 'i-1 cloud'), answer('n2'), false, undefined],
    ['the other Node is gone', nodeWith(I1, 'i-1 ambiguous'), answer('n1'), false, 'i-1 cloud'],
    ['the provider cannot say', nodeWith(I1, 'i-1 cloud'), 'unknown', false, 'i-1 cloud'],
    ['the provider does not find it', nodeWith(I1, 'i-1 cloud'), 'missing', false, 'i-1 cloud'],
    [
      'an administrator has said otherwise',
      nodeWith(I1, 'i-7 operator'),
      answer('n1'),
      false,
      'i-7 operator',
    ],
  ])('%s', (_case, node, said, isShared, word) => {
    expect(after(node, said, isShared)).toBe(word);
  });

  it('leaves a Node alone about which it says nothing new', () => {
    const node = nodeWith(I1, 'i-1 cloud');
    expect(withMachine(node, answer('n1'), false)).toBe(node);
  });
});
