import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  type DrainState,
  drainReason,
  withDrainConditions,
} from '../../../../shared/rules/drain/drain-progress.ts';
import { withDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import {
  drainLineOf,
  drainSentence,
  drainTurns,
  isHeldUp,
} from '../../../../shared/rules/roll-call/drain-line.ts';
import { nextSteps } from '../../../../shared/rules/roll-call/next-steps.ts';
import { aNode, aRollCall, NOW } from '../../../support/objects/a-roll-call.ts';

const NODE: Node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n1' } };
const REQUEST = { id: '1', requestedAt: NOW, by: 'admin', reason: 'repair' };
const LEFT = {
  terminating: 0,
  untried: 0,
  refused: [],
  waiting: [{ pod: 'shop/web', why: 'a budget \u001b[31m' }],
};

const drained = (state: DrainState, more: object = {}): Node =>
  withDrainConditions(withDrainRequest(NODE, { ...REQUEST, ...more }), state, LEFT, NOW);

describe('the line of a drain (J-311)', () => {
  it.each<[DrainState, RegExp, boolean]>([
    ['evicting', /^is being drained: 1 pod is left/, false],
    ['stopping', /^is being drained: /, false],
    ['waiting', /^is being drained, and waits for budgets: .*shop\/web: a budget/, true],
    ['refused', /^cannot be drained as asked: /, true],
    ['gaveUp', /^was not drained in time: /, true],
    ['invalid', /^cannot be drained: .*pod selector/, true],
  ])('%s', (state, sentence, held) => {
    const line = drainLineOf(drained(state));
    if (!line) throw new Error('no line');
    expect(line.state).toBe(state);
    expect(drainReason(state)).not.toBe('');
    expect(drainSentence(line)).toMatch(sentence);
    expect(isHeldUp(line)).toBe(held);
  });

  it('is there from the request on, and ends with the drain or the request', () => {
    const asked = drainLineOf(withDrainRequest(NODE, REQUEST));
    expect(asked).toEqual({ state: 'asked', message: '' });
    expect(asked && drainSentence(asked)).toBe('is to be drained');
    expect(drainLineOf(drained('drained'))).toBeUndefined();
    expect(drainLineOf(NODE)).toBeUndefined();
  });

  it('has no control characters, whoever wrote the reason', () => {
    expect(drainLineOf(drained('waiting'))?.message).toContain('\\u001b');
  });

  it.each<[string, object, DrainState, readonly [number, string][]]>([
    ['no deadline', {}, 'waiting', []],
    ['a deadline', { deadlineAt: NOW + 9 }, 'waiting', [[NOW + 9, 'gives up']]],
    [
      'deletions before the deadline',
      { deleteAt: NOW + 5, deadlineAt: NOW + 9 },
      'evicting',
      [
        [NOW + 5, 'asks no budget any more'],
        [NOW + 9, 'gives up'],
      ],
    ],
    [
      'deletions that come too late',
      { deleteAt: NOW + 10, deadlineAt: NOW + 9 },
      'waiting',
      [[NOW + 9, 'gives up']],
    ],
    ['one that gave up', { deadlineAt: NOW + 9 }, 'gaveUp', []],
  ])('turns: %s (J-312)', (_, more, state, turns) => {
    const line = drainLineOf(drained(state, more));
    expect(line && drainTurns(line).map(({ at, what }) => [at, what])).toEqual(turns);
  });

  it('is among the next steps until its instant is over (J-312)', () => {
    const drain = { state: 'waiting', message: '', deadlineAt: NOW + 60_000, deleteAt: NOW - 1 } as const;
    const steps = nextSteps(aRollCall([aNode('n1', { drain })]), {
      nodeMonitorGracePeriodMs: 40_000,
      nodeMonitorPeriodMs: 5_000,
    });
    expect(steps).toEqual([
      {
        at: NOW + 60_000,
        kind: 'drain',
        zone: 'a',
        node: 'n1',
        what: 'gives up',
        text: 'the drain of n1 gives up: the deadline of the request',
        why: 'the deadline of the request',
      },
    ]);
  });
});
