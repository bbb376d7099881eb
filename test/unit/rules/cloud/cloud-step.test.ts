import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { cloudStep, isUnsettled, nextLookSeconds } from '../../../../shared/rules/cloud/cloud-step.ts';
import type { Instance, InstanceAnswer } from '../../../../shared/rules/cloud/instance.ts';
import { instanceKey } from '../../../../shared/rules/cloud/instance.ts';
import { aNode, ready, taint, taintText } from '../../../support/objects/domain-objects.ts';

const NOW = 1_767_657_600_000;
const ID = 'aws:///eu-west-1a/i-0123';
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown:NoSchedule';
const WAITS = 'node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule';

interface Parts {
  readonly ready?: ConditionStatus;
  readonly taints?: readonly string[];
  readonly providerID?: string;
  readonly ageSeconds?: number;
}

const node = ({ ready: status, taints = [], providerID = ID, ageSeconds = 120 }: Parts): Node => {
  const made = aNode({
    created: NOW - ageSeconds * 1_000,
    taints: taints.map(taint),
    ...(status ? { conditions: [ready(status, NOW)] } : {}),
  });
  return { ...made, spec: { ...made.spec, ...(providerID ? { providerID } : {}) } };
};

const instance = (state: Instance['state']): Instance => ({ providerId: ID, state });

const outcome = (of: Node, answer: InstanceAnswer): string => {
  const step = cloudStep(of, answer, NOW);
  if (step.does === 'delete') return step.isMissing ? 'deleted if missing' : 'deleted';
  return step.does === 'write' ? `taints: ${(step.next.spec?.taints ?? []).map(taintText).join()}` : 'kept';
};

describe('a Node and the word of its cloud', () => {
  const rows: readonly [string, Parts, InstanceAnswer, string][] = [
    ['not ready and missing goes (J-71)', { ready: 'False' }, 'missing', 'deleted if missing'],
    ['unknown and missing goes (J-71)', { ready: 'Unknown' }, 'missing', 'deleted if missing'],
    ['never ready and missing goes (J-71)', {}, 'missing', 'deleted if missing'],
    ['about which the cloud cannot speak stays (J-71)', { ready: 'Unknown' }, 'unknown', 'kept'],
    ['whose machine runs stays (J-71)', { ready: 'Unknown' }, instance('running'), 'kept'],
    ['ready and missing stays (J-71)', { ready: 'True' }, 'missing', 'kept'],
    ['ready and terminated goes (J-70)', { ready: 'True' }, instance('terminated'), 'deleted'],
    ['not ready and terminated goes (J-70)', { ready: 'False' }, instance('terminated'), 'deleted'],
    ['shutting down stays (J-70)', { ready: 'False' }, instance('shutting-down'), 'kept'],
    [
      'young, uninitialised and without a providerID stays (J-72)',
      { ready: 'Unknown', taints: [WAITS], providerID: '', ageSeconds: 59 },
      'missing',
      'kept',
    ],
    [
      'a minute old, uninitialised and without a providerID goes (J-72)',
      { ready: 'Unknown', taints: [WAITS], providerID: '', ageSeconds: 60 },
      'missing',
      'deleted if missing',
    ],
    [
      'not ready and stopped is tainted (J-73)',
      { ready: 'Unknown' },
      instance('stopped'),
      `taints: ${SHUTDOWN}`,
    ],
    [
      'tainted already stays so (J-73)',
      { ready: 'Unknown', taints: [SHUTDOWN] },
      instance('stopped'),
      'kept',
    ],
    ['ready and stopped is left alone (J-73)', { ready: 'True' }, instance('stopped'), 'kept'],
    ['ready again loses the taint (J-73)', { ready: 'True', taints: [SHUTDOWN] }, 'unknown', 'taints: '],
    [
      'not ready yet keeps the taint (J-73)',
      { ready: 'False', taints: [SHUTDOWN] },
      instance('running'),
      'kept',
    ],
  ];
  it.each(rows)('%s', (_, parts, answer, expected) => {
    expect(outcome(node(parts), answer)).toBe(expected);
  });
});

describe('what is looked at again (J-76)', () => {
  const rows: readonly [string, Parts, InstanceAnswer, boolean][] = [
    ['a silent node whose machine is going', { ready: 'Unknown' }, instance('shutting-down'), true],
    ['a silent node whose machine runs', { ready: 'Unknown' }, instance('running'), false],
    ['a ready node whose machine stops', { ready: 'True' }, instance('stopping'), false],
    ['a Node that waits for its cloud', { ready: 'True', taints: [WAITS] }, 'missing', true],
    ['a Node that waits for another cloud', { taints: [WAITS] }, 'unknown', false],
  ];
  it.each(rows)('%s: %#', (_, parts, answer, expected) => {
    expect(isUnsettled(node(parts), answer)).toBe(expected);
  });

  it('comes after 5 seconds, later after 300', () => {
    expect([0, 1, 2, 6, 99].map(nextLookSeconds)).toEqual([5, 10, 20, 300, 300]);
  });
});

describe('instanceKey (J-77)', () => {
  it.each([
    ['aws:///eu-west-1a/i-0abc', 'i-0abc'],
    ['aws:///eu-west-1a/cluster/i-0abc', 'i-0abc'],
    ['metal://rack7/42', 'metal://rack7/42'],
    ['', ''],
  ])('%s is known as %s', (providerId, key) => {
    expect(instanceKey(providerId)).toBe(key);
  });
});
