import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import { nodeNews } from '../../../../shared/rules/notifications/node-news.ts';
import { aNode, at, ready, taint } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-02T03:04:05Z');
const up = aNode({ conditions: [ready('True', NOW)] });
const lost = aNode({ conditions: [ready('Unknown', NOW)] });
const down = aNode({ conditions: [ready('False', NOW)] });
const beginning = aNode({ created: NOW, conditions: [ready('False', NOW + 30_000)] });
const leaving = aNode({ conditions: [{ ...ready('False', NOW), message: 'node is shutting down' }] });
const goingDown = aNode({
  conditions: [ready('True', NOW), { type: 'GracefulNodeShutdownInProgress', status: 'True' }],
});
const back = aNode({ conditions: [ready('True', NOW + 95_000)] });
const tainted = aNode({ conditions: [ready('True', NOW)], taints: [taint('k=v:NoExecute')] });

const drain = (reason: string, drained: 'True' | 'False' = 'False'): Node => {
  const conditions: Condition[] = [
    { type: 'DrainInProgress', status: drained === 'True' ? 'False' : 'True', reason, message: 'm' },
    { type: 'Drained', status: drained, reason, message: 'm' },
  ];
  return aNode({ conditions: [ready('True', NOW), ...conditions] });
};

const told = (was: Node | undefined, is: Node | undefined): readonly string[] =>
  nodeNews('n1', was, is).map(({ type, severity }) => `${type} ${severity}`);

describe('news of a node (J-270)', () => {
  it.each<[string, Node | undefined, Node | undefined, readonly string[]]>([
    ['is new', undefined, aNode(), ['NodeRegistered info']],
    ['is new and not ready yet', undefined, beginning, ['NodeRegistered info', 'NodeNotReady info']],
    ['becomes ready for the first time', beginning, up, ['NodeReady info']],
    ['is not ready', up, down, ['NodeNotReady warning']],
    ['is ready again', down, up, ['NodeReady resolved']],
    ['shuts down', up, leaving, ['NodeNotReady info', 'NodeShuttingDown info']],
    ['shuts down, by its condition', up, goingDown, ['NodeShuttingDown info']],
    ['falls silent', up, lost, ['NodeNotReady info', 'NodeLost warning']],
    [
      'falls silent after it said that it is not ready',
      down,
      lost,
      ['NodeNotReady info', 'NodeLost warning'],
    ],
    ['has never spoken', aNode(), lost, ['NodeNotReady info', 'NodeLost warning']],
    ['falls silent because it was shutting down', leaving, lost, ['NodeNotReady info', 'NodeLost info']],
    ['answers again', lost, back, ['NodeReady info', 'NodeReturned resolved']],
    ['answers again and is not ready', lost, down, ['NodeNotReady info']],
    ['is removed', up, undefined, ['NodeRemoved info']],
    ['is removed while it is lost', lost, undefined, ['NodeRemoved resolved']],
    ['is tainted', up, tainted, ['NodeTainted info']],
    ['loses a taint', tainted, up, ['NodeUntainted info']],
    ['is being drained', up, drain('EvictingPods'), []],
    ['waits for a budget in its drain', drain('EvictingPods'), drain('WaitingForBudgets'), []],
    [
      'has pods that nobody lets go',
      drain('EvictingPods'),
      drain('PodsNotPermitted'),
      ['NodeDrainStuck warning'],
    ],
    ['has pods that nobody lets go, still', drain('PodsNotPermitted'), drain('PodsNotPermitted'), []],
    [
      'is not drained in time',
      drain('WaitingForBudgets'),
      drain('DeadlineExceeded'),
      ['NodeDrainStuck warning'],
    ],
    ['has a drain that nobody understands', up, drain('InvalidRequest'), ['NodeDrainStuck warning']],
    ['is drained', drain('EvictingPods'), drain('NodeDrained', 'True'), ['NodeDrained resolved']],
    ['changes in nothing of this', up, aNode({ conditions: [ready('True', NOW + 9_000)] }), []],
  ])('that %s', (_, was, is, expected) => {
    expect(told(was, is)).toEqual(expected);
  });

  it('say for how long a node was silent, never less than nothing', () => {
    expect(nodeNews('n1', lost, back).at(-1)?.more).toEqual({ silentSeconds: 95 });
    const early = aNode({ conditions: [ready('True', NOW - 1_000)] });
    expect(nodeNews('n1', lost, early).at(-1)?.more).toEqual({ silentSeconds: 0 });
  });
});
