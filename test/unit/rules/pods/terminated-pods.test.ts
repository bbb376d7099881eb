import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import {
  LOOK_EVERY_MS,
  nextLook,
  terminatedPlace,
  tooManyTerminated,
} from '../../../../shared/rules/pods/terminated-pods.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

interface Parts {
  readonly phase?: string;
  readonly isEvicted?: boolean;
  /** Seconds; absent: the pod is not being deleted. */
  readonly grace?: number | 'none';
  readonly isHeld?: boolean;
}

/** Pods of these names, each a second younger than the one before. */
const podsOf = (given: Readonly<Record<string, Parts>>): readonly Pod[] =>
  Object.entries(given).map(([name, { phase = 'Failed', isEvicted, grace, isHeld }], age) => {
    const given = aPod({ name });
    const deletion = {
      deletionTimestamp: '2026-01-01T01:00:00Z',
      ...(grace === 'none' ? {} : { deletionGracePeriodSeconds: grace }),
    };
    return {
      ...given,
      metadata: {
        ...given.metadata,
        creationTimestamp: `2026-01-01T00:00:0${age}Z`,
        ...(grace === undefined ? {} : deletion),
        ...(isHeld ? { finalizers: ['a.b/c'] } : {}),
      },
      status: { phase: phase as 'Failed', ...(isEvicted ? { reason: 'Evicted' } : {}) },
    };
  });

const deleted = (given: Readonly<Record<string, Parts>>, threshold: number): readonly string[] => {
  const terminated = podsOf(given).flatMap((pod) => {
    const place = terminatedPlace(pod);
    return place === undefined ? [] : [{ place, name: pod.metadata.name }];
  });
  return tooManyTerminated(terminated.toReversed(), threshold).map(({ name }) => name);
};

const failed: Parts = { phase: 'Failed' };
const succeeded: Parts = { phase: 'Succeeded' };
const running: Parts = { phase: 'Running' };
const evicted: Parts = { phase: 'Failed', isEvicted: true };
const held: Parts = { grace: 0, isHeld: true };

describe('terminated pods over the threshold', () => {
  const rows: readonly [string, Readonly<Record<string, Parts>>, number, readonly string[]][] = [
    ['the oldest go (K-71)', { a: failed, b: succeeded, c: failed }, 1, ['a', 'b']],
    ['0 turns it off (K-71)', { a: failed, b: succeeded, c: failed }, 0, []],
    ['so does a negative number (K-71)', { a: failed, b: succeeded, c: failed }, -1, []],
    ['running pods do not count (K-71)', { a: running, b: succeeded, c: failed }, 1, ['b']],
    ['one too many (K-71)', { a: failed, b: succeeded }, 1, ['a']],
    ['fewer than the threshold (K-71)', { a: failed, b: succeeded }, 5, []],
    ['evicted pods go first (K-71)', { a: failed, b: succeeded, c: evicted }, 1, ['c', 'a']],
    ['the evicted one alone (K-71)', { a: running, b: succeeded, c: evicted }, 1, ['c']],
    [
      'pods without a phase count, pending ones do not (K-71)',
      { a: { phase: '' }, b: { phase: 'Pending' }, c: failed },
      1,
      ['a'],
    ],
    ['held pods stay (K-72)', { a: held, b: held }, 1, []],
    ['held pods count (K-72)', { a: held, b: held, c: failed }, 2, ['c']],
    ['held pods protect nobody (K-72)', { a: held, b: held, c: held, d: failed }, 1, ['d']],
    [
      'only finalizers of a pod without grace hold it (K-72)',
      {
        a: { grace: 30, isHeld: true },
        b: { grace: 0 },
        c: { grace: 'none', isHeld: true },
        d: { isHeld: true },
      },
      1,
      ['a', 'b', 'c'],
    ],
  ];
  it.each(rows)('%s', (_, pods, threshold, expected) => {
    expect(deleted(pods, threshold)).toEqual(expected);
  });

  it('sorts pods of the same second by name (K-71)', () => {
    const places = ['b', 'a', 'c'].map((name) => ({
      name,
      place: terminatedPlace({ ...aPod({ name }), status: { phase: 'Failed' } }) ?? '',
    }));
    expect(tooManyTerminated(places, 1).map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('looks at the terminated pods (K-81)', () => {
  const T = 1_000_000;
  const rows: readonly [string, number | undefined, number | 'now' | undefined][] = [
    ['the first one is at once', undefined, 'now'],
    ['after a while the next one is at once', T - LOOK_EVERY_MS, 'now'],
    ['soon after a look another one is planned', T - 1, T - 1 + LOOK_EVERY_MS],
    ['at the instant of a look, too', T, T + LOOK_EVERY_MS],
    ['a planned one is enough', T + 1, undefined],
    ['one that is further ahead than any can be planned does not count', T + LOOK_EVERY_MS + 1, 'now'],
  ];
  it.each(rows)('%s', (_, lookAt, expected) => {
    expect(nextLook(lookAt, T)).toBe(expected);
  });
});
