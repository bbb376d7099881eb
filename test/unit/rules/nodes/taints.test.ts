import { describe, expect, test } from 'vitest';
import type { Taint } from '../../../../shared/kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import {
  addOrUpdateTaint,
  carrySince,
  hasTaint,
  MOST_FORMER_TAINTS,
  noExecuteFacts,
  noExecuteTaints,
  removeTaint,
  sameTaint,
  swapTaints,
  withTaints,
} from '../../../../shared/rules/nodes/taints.ts';
import { aNode, at, taint, taintText } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-02T03:04:05Z');
const texts = (taints: readonly Taint[]): readonly string[] => taints.map(taintText);

describe('sameTaint', () => {
  const source = 'kubernetes v1.34 `Taint.MatchTaint`';
  test.each([
    {
      name: 'compares only key and effect (T-14)',
      source,
      a: 'foo=1:NoSchedule',
      b: 'foo=2:NoSchedule',
      same: true,
    },
    { name: 'distinguishes effects', source, a: 'foo:NoSchedule', b: 'foo:NoExecute', same: false },
    { name: 'distinguishes keys', source, a: 'foo:NoSchedule', b: 'bar:NoSchedule', same: false },
  ])('$name', ({ a, b, same }) => {
    expect(sameTaint(taint(a), taint(b))).toBe(same);
  });
});

describe('addOrUpdateTaint', () => {
  const source = 'kubernetes v1.34 `AddOrUpdateTaint`';
  const before = ['foo=1:NoSchedule', 'bar:NoExecute'];
  test.each([
    {
      name: 'appends a new key',
      source,
      added: 'baz:NoExecute',
      after: [...before, 'baz:NoExecute'],
    },
    {
      name: 'appends a known key with another effect',
      source,
      added: 'foo=1:NoExecute',
      after: [...before, 'foo=1:NoExecute'],
    },
    {
      name: 'replaces the same key and effect in place',
      source,
      added: 'foo=2:NoSchedule',
      after: ['foo=2:NoSchedule', 'bar:NoExecute'],
    },
  ])('$name', ({ added, after }) => {
    expect(texts(addOrUpdateTaint(before.map(taint), taint(added)))).toEqual(after);
  });

  test('returns the same list for an equal taint', () => {
    const taints = before.map(taint);
    expect(addOrUpdateTaint(taints, taint('foo=1:NoSchedule'))).toBe(taints);
  });
});

describe('removeTaint and hasTaint', () => {
  const source = 'kubernetes v1.34 `RemoveTaint`, `TaintExists`';
  const taints = ['foo=1:NoSchedule', 'foo:NoExecute'].map(taint);
  test.each([
    {
      name: 'finds by key and effect, regardless of the value',
      source,
      id: 'foo:NoSchedule',
      left: ['foo:NoExecute'],
    },
    { name: 'does not find another effect', source, id: 'foo:PreferNoSchedule', left: undefined },
    { name: 'does not find another key', source, id: 'bar:NoExecute', left: undefined },
  ])('$name', ({ id, left }) => {
    expect(hasTaint(taints, taint(id))).toBe(left !== undefined);
    const after = removeTaint(taints, taint(id));
    if (left === undefined) expect(after).toBe(taints);
    else expect(texts(after)).toEqual(left);
  });
});

describe('swapTaints', () => {
  const before: readonly Taint[] = [
    { ...taint('a:NoExecute'), timeAdded: '2020-01-01T00:00:00Z' },
    taint('b:NoSchedule'),
  ];

  test('sets timeAdded of what it adds, and removes the others (R-12)', () => {
    expect(swapTaints(before, [taint('c:NoSchedule')], [taint('a:NoExecute')], NOW)).toEqual([
      taint('b:NoSchedule'),
      { ...taint('c:NoSchedule'), timeAdded: '2026-01-02T03:04:05Z' },
    ]);
  });

  test('keeps the time of an existing taint (R-12)', () => {
    expect(swapTaints(before, [taint('a:NoExecute')], [taint('x:NoExecute')], NOW)).toBe(before);
  });

  test('replaces a taint whose value differs', () => {
    expect(swapTaints(before, [taint('a=1:NoExecute')], [], NOW)[0]).toEqual({
      ...taint('a=1:NoExecute'),
      timeAdded: '2026-01-02T03:04:05Z',
    });
  });
});

test('noExecuteTaints returns the taints that evict (kubernetes v1.34 `TestFilterNoExecuteTaints`)', () => {
  expect(texts(noExecuteTaints(['one:NoExecute', 'two:NoSchedule'].map(taint)))).toEqual(['one:NoExecute']);
});

test('withTaints removes the field with the last taint, and keeps the rest of the spec', () => {
  const node = aNode({ taints: [taint('a:NoExecute')], unschedulable: true });
  expect(withTaints(node, []).spec).toEqual({ unschedulable: true });
});

describe('carrySince', () => {
  test.each([
    { name: 'starts a new key now', before: [], after: ['a:NoExecute'], facts: [{ key: 'a', since: NOW }] },
    {
      name: 'keeps the instant of a key that stays (T-08)',
      before: [{ key: 'a', since: 7 }],
      after: ['a:NoExecute'],
      facts: [{ key: 'a', since: 7 }],
    },
    {
      name: 'starts again with another value (T-08)',
      before: [{ key: 'a', value: 'x', since: 7 }],
      after: ['a=y:NoExecute'],
      facts: [{ key: 'a', value: 'y', since: NOW }],
    },
    {
      name: 'treats no value as an empty one',
      before: [{ key: 'a', value: '', since: 7 }],
      after: ['a:NoExecute'],
      facts: [{ key: 'a', since: 7 }],
    },
    {
      name: 'starts again in a swap from unreachable to not-ready (T-08)',
      before: [{ key: TAINT_UNREACHABLE, since: 7 }],
      after: [`${TAINT_NOT_READY}:NoExecute`],
      facts: [{ key: TAINT_NOT_READY, since: NOW }],
    },
    {
      name: 'starts again in a swap from not-ready to unreachable (T-08)',
      before: [{ key: TAINT_NOT_READY, since: 7 }],
      after: [`${TAINT_UNREACHABLE}:NoExecute`],
      facts: [{ key: TAINT_UNREACHABLE, since: NOW }],
    },
    {
      name: 'does not take it over between other keys',
      before: [{ key: 'a', since: 7 }],
      after: ['b:NoExecute'],
      facts: [{ key: 'b', since: NOW }],
    },
    {
      name: 'drops removed taints and those with other effects',
      before: [{ key: 'a', since: 7 }],
      after: ['a:NoSchedule'],
      facts: [],
    },
  ])('$name', ({ before, after, facts }) => {
    expect(carrySince(before, after.map(taint), NOW)).toEqual(facts);
  });
});

describe('noExecuteFacts', () => {
  const write = (before: Parameters<typeof noExecuteFacts>[0], now: number, ...texts: readonly string[]) =>
    noExecuteFacts(before, texts.map(taint), now);
  const none = { noExecute: [] };

  test('keeps removed taints while the node has another NoExecute taint (T-10)', () => {
    const swapped = write(write(none, 1, 'a=x:NoExecute'), 5, 'b:NoExecute');
    expect(swapped).toEqual({
      noExecute: [{ key: 'b', since: 5 }],
      formerNoExecute: [{ key: 'a', value: 'x', since: 1, goneAt: 5 }],
    });
    expect(write(swapped, 9)).toEqual(none);
  });

  test('keeps a bounded number of the newest (T-10)', () => {
    let facts = write(none, 0, 'a=0:NoExecute');
    for (let now = 1; now <= 100; now += 1) facts = write(facts, now, `a=${now}:NoExecute`);
    expect(facts.formerNoExecute).toHaveLength(MOST_FORMER_TAINTS);
    expect(facts.formerNoExecute?.at(-1)).toEqual({ key: 'a', value: '99', since: 99, goneAt: 100 });
  });
});
