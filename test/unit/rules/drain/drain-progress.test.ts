import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  type DrainProgress,
  type DrainState,
  drainState,
  isDrained,
  progressText,
  withDrainConditions,
  withoutDrainConditions,
} from '../../../../shared/rules/drain/drain-progress.ts';
import type { DrainRequest } from '../../../../shared/rules/drain/drain-request.ts';
import { aNode, at, ready } from '../../../support/objects/domain-objects.ts';

const T = at('2026-02-03T04:05:06Z');
const REQUEST: DrainRequest = { id: 'one', requestedAt: T, by: '', reason: '' };
const NONE: DrainProgress = { terminating: 0, untried: 0, waiting: [], refused: [] };
const WAITS = { pod: 'default/a', why: 'The disruption budget b needs 2 healthy pods and has 2 currently' };
const BARE = { pod: 'default/bare', why: ['unmanaged'] as const };

describe('the state of a drain', () => {
  const rows: readonly [string, Partial<DrainProgress>, Partial<DrainRequest>, DrainState][] = [
    ['a selector cannot be parsed (E-15)', {}, { podSelectors: ['a b c'] }, 'invalid'],
    ['nothing is left (E-17)', {}, {}, 'drained'],
    ['nothing is left after the deadline (E-17)', {}, { deadlineAt: T }, 'drained'],
    ['something is left at the deadline (E-17)', { terminating: 1 }, { deadlineAt: T }, 'gaveUp'],
    ['something is left before the deadline (E-17)', { terminating: 1 }, { deadlineAt: T + 1 }, 'stopping'],
    ['some pods were not tried (E-17)', { untried: 1, waiting: [WAITS] }, {}, 'evicting'],
    ['a budget holds a pod (E-17)', { waiting: [WAITS], refused: [BARE], terminating: 1 }, {}, 'waiting'],
    ['pods stop (E-17)', { terminating: 1, refused: [BARE] }, {}, 'stopping'],
    ['only pods that may not go are left (E-17)', { refused: [BARE] }, {}, 'refused'],
  ];
  it.each(rows)('%s', (_, progress, request, expected) => {
    expect(drainState({ ...NONE, ...progress }, { ...REQUEST, ...request }, T)).toBe(expected);
  });
});

describe('what is left', () => {
  it('is told with what holds it (E-18)', () => {
    const progress = { ...NONE, terminating: 2, waiting: [WAITS], refused: [BARE] };
    expect(progressText(progress)).toBe(
      '4 pods are left; 2 pods are stopping; cannot delete Pods that declare no controller (use force to override): default/bare; default/a: The disruption budget b needs 2 healthy pods and has 2 currently',
    );
  });

  it('is told in few words, however many pods there are (E-18)', () => {
    const waiting = Array.from({ length: 1_000 }, (_, index) => ({ ...WAITS, pod: `default/${index}` }));
    expect(progressText({ ...NONE, waiting })).toContain('and 995 more: The disruption budget b');
    const each = waiting.map(({ pod }) => ({ pod, why: pod.repeat(10) }));
    expect(progressText({ ...NONE, waiting: each }).length).toBe(1024);
  });
});

describe('the conditions of the Node', () => {
  const node = aNode({ conditions: [ready('True', T)] });
  const of = (given: Node): readonly unknown[] =>
    (given.status?.conditions ?? [])
      .slice(1)
      .map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, lastTransitionTime]);
  const busy = withDrainConditions(node, 'waiting', { ...NONE, waiting: [WAITS] }, T);

  it('are named as in KEP-5683 (E-18)', () => {
    expect(of(busy)).toEqual([
      ['DrainInProgress', 'True', 'WaitingForBudgets', '2026-02-03T04:05:06Z'],
      ['Drained', 'False', 'WaitingForBudgets', '2026-02-03T04:05:06Z'],
    ]);
    expect(isDrained(busy)).toBe(false);
  });

  it('say that a request cannot be understood, and what to do (E-15)', () => {
    const conditions = withDrainConditions(node, 'invalid', NONE, T).status?.conditions ?? [];
    expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual(
      expect.arrayContaining([
        ['DrainInProgress', 'False', 'InvalidRequest'],
        ['Drained', 'False', 'InvalidRequest'],
      ]),
    );
    expect(conditions.at(-1)?.message).toContain('correct podSelectors in the annotation rollcall.dev/drain');
  });

  it('keep their time while their status stays (E-18)', () => {
    const later = withDrainConditions(busy, 'stopping', { ...NONE, terminating: 1 }, T + 9_000);
    expect(of(later)).toEqual([
      ['DrainInProgress', 'True', 'WaitingForTermination', '2026-02-03T04:05:06Z'],
      ['Drained', 'False', 'WaitingForTermination', '2026-02-03T04:05:06Z'],
    ]);
  });

  it('are the same object if nothing has changed (E-18)', () => {
    expect(withDrainConditions(busy, 'waiting', { ...NONE, waiting: [WAITS] }, T + 9_000)).toBe(busy);
  });

  it.each([
    ['drained', 'False', 'True', 'NodeDrained'],
    ['gaveUp', 'False', 'False', 'DeadlineExceeded'],
  ] as const)('say how it ended: %s (E-18)', (state, inProgress, drained, reason) => {
    const ended = withDrainConditions(busy, state, { ...NONE, terminating: 1 }, T + 9_000);
    expect(of(ended).map((one) => (one as unknown[]).slice(0, 3))).toEqual([
      ['DrainInProgress', inProgress, reason],
      ['Drained', drained, reason],
    ]);
    expect(isDrained(ended)).toBe(state === 'drained');
  });

  it('go with the request, and no others do (E-18)', () => {
    expect(withoutDrainConditions(busy)).toEqual(node);
    expect(withoutDrainConditions(node)).toBe(node);
  });
});
