import { describe, expect, it } from 'vitest';
import { actionsFor, isNewer, removableTaints } from '../../../../../dashboard/page/actions/words.ts';
import { ACTIONS } from '../../../../../dashboard/wire/actions.ts';
import { aNode, taint, taintText } from '../../../../support/objects/domain-objects.ts';

const CORDON_TAINT = taint('node.kubernetes.io/unschedulable:NoSchedule');

describe('the buttons of a node', () => {
  it.each([
    ['a plain node', aNode(), ['cordon', 'drain', 'taint', 'outOfService']],
    [
      'a cordoned one, whose taint goes with the cordon',
      aNode({ unschedulable: true, taints: [CORDON_TAINT] }),
      ['uncordon', 'drain', 'taint', 'outOfService'],
    ],
    [
      'a tainted one',
      aNode({ taints: [taint('a=b:NoExecute')] }),
      ['cordon', 'drain', 'taint', 'untaint', 'outOfService'],
    ],
  ] as const)('are those that make sense for %s', (_, node, wanted) => {
    expect(actionsFor(node, ACTIONS)).toEqual(wanted);
  });

  it('are none where nothing is offered', () => {
    expect(actionsFor(aNode(), [])).toEqual([]);
  });
});

it('a taint is named as kubectl writes it', () => {
  const node = aNode({ taints: [taint('a=b:NoExecute'), CORDON_TAINT, taint('c:NoSchedule')] });
  expect(removableTaints(node).map(taintText)).toEqual(['a=b:NoExecute', 'c:NoSchedule']);
});

it.each([
  ['10', '9', true],
  ['9', '10', false],
  ['9', '9', false],
  ['90071992547409931', '90071992547409930', true],
  [undefined, '9', false],
  ['x', '9', false],
])('version %s is newer than %s: %s', (version, than, wanted) => {
  expect(isNewer(version, than)).toBe(wanted);
});
