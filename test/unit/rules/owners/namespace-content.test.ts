import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import {
  graceOfPods,
  judgeLeft,
  nextLookSeconds,
} from '../../../../shared/rules/owners/namespace-content.ts';

const AT = Date.parse('2026-03-01T12:00:00Z');
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

const aPod = (grace: number | undefined, phase: 'Running' | 'Succeeded' | 'Failed' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: grace === undefined ? {} : { terminationGracePeriodSeconds: grace },
  status: { phase },
});

describe('graceOfPods', () => {
  it.each([
    ['no pods', [], 5, 0],
    ['one pod', [aPod(30)], 5, 30],
    ['the longest of several', [aPod(30), aPod(300), aPod(1)], 5, 300],
    ['one without a grace period', [aPod(undefined)], 5, 0],
    ['ended pods do not count', [aPod(300, 'Succeeded'), aPod(200, 'Failed'), aPod(30)], 5, 30],
    ['a grace period that has nearly passed', [aPod(30)], 29.999, 30],
    ['a grace period that has passed', [aPod(30)], 30, 0],
    ['a deletion in the future, because the clock was set back', [aPod(30)], -3_600, 30],
  ])('%s (K-43)', (_, pods, secondsAfter, expected) => {
    expect(graceOfPods(pods, AT, AT + secondsAfter * 1000)).toBe(expected);
  });
});

const held = (...finalizers: readonly string[]) => ({ metadata: { name: 'x', finalizers } });
const free = { metadata: { name: 'x' } };

describe('judgeLeft', () => {
  it.each([
    ['nothing is left', [], 30, { left: 0, seconds: 0 }],
    ['what has time to end', [free, free], 30, { left: 2, seconds: 30 }],
    ['what has finalizers', [held('a/b'), free], 0, { left: 2, seconds: 15 }],
    ['what has time to end comes before finalizers', [held('a/b')], 40, { left: 1, seconds: 40 }],
    [
      'what should be gone',
      [free],
      0,
      {
        left: 1,
        seconds: 0,
        error: 'unexpected items still remain in namespace: ns1 for gvr: /v1, Resource=configmaps',
      },
    ],
  ])('%s (K-44)', (_, objects, grace, expected) => {
    const { finalizers: _finalizers, ...judged } = judgeLeft('ns1', CONFIG_MAPS, objects, grace);
    expect(judged).toEqual({ kind: CONFIG_MAPS, ...expected });
  });

  it('counts the objects of each finalizer (K-44)', () => {
    const { finalizers } = judgeLeft('ns1', CONFIG_MAPS, [held('a/b', 'c/d'), held('a/b'), free], 0);
    expect([...finalizers]).toEqual([
      ['a/b', 2],
      ['c/d', 1],
    ]);
  });
});

const left = (seconds: number, error?: string) => ({
  kind: CONFIG_MAPS,
  left: seconds,
  finalizers: new Map(),
  seconds,
  ...(error === undefined ? {} : { error }),
});

describe('nextLookSeconds', () => {
  it.each([
    ['nothing is left', [left(0), left(0)], true, 0, undefined],
    ['half of a grace period of 30 s and one second', [left(30)], false, 0, 16],
    ['half of an odd one, rounded down', [left(15)], false, 0, 8],
    ['the longest counts', [left(15), left(60)], false, 0, 31],
    ['after a change of the status 5 s at most', [left(30)], true, 0, 5],
    ['sooner than that if there is less to wait for', [left(2)], true, 0, 2],
    ['a failure: one second', [left(30), left(0, 'no')], false, 0, 1],
    ['the fourth failure in a row', [left(0, 'no')], false, 3, 8],
    ['the fourth failure in a row, with a new condition', [left(0, 'no')], true, 3, 5],
    ['failures never wait for longer than a minute', [left(0, 'no')], false, 30, 60],
  ])('%s (K-45)', (_, kinds, hasChanged, failures, expected) => {
    expect(nextLookSeconds(kinds, { hasChanged, failures })).toBe(expected);
  });
});
