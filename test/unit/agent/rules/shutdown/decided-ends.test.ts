import { describe, expect, it } from 'vitest';
import {
  decidedEndsText,
  parseDecidedEnds,
  unsettledEnds,
} from '../../../../../agent/rules/shutdown/decided-ends.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const AT = Date.UTC(2026, 0, 2);
const END = { uid: 'uid-a', at: AT };

describe('the file of the pods that a shutdown has ended', () => {
  it('is read as it was written', () => {
    expect(parseDecidedEnds(decidedEndsText([END]))).toEqual([END]);
  });

  it.each(['', '{', 'null', '{"pods":1}', '{"pods":[{"uid":1},{"at":2},null]}'])(
    'names none if it is %j',
    (text) => {
      expect(parseDecidedEnds(text)).toEqual([]);
    },
  );
});

describe('what the shutdown has decided', () => {
  const withPhase = (phase: 'Pending' | 'Running' | 'Failed' | 'Succeeded') => ({
    ...podOf('a'),
    status: { phase },
  });

  it.each([
    ['has not begun', [withPhase('Pending')], [END]],
    ['runs', [withPhase('Running')], [END]],
    ['has failed', [withPhase('Failed')], []],
    ['has succeeded', [withPhase('Succeeded')], []],
    ['is gone', [], []],
    ['is another one of its name', [{ ...podOf('a'), metadata: { name: 'a', uid: 'new' } }], []],
  ] as const)('holds or not where the pod %s for the API', (_, pods, left) => {
    expect(unsettledEnds([END], pods)).toEqual(left);
  });
});
