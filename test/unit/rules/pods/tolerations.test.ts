import { describe, expect, test } from 'vitest';
import type { Toleration } from '../../../../shared/kube/types/core.ts';
import {
  firstTolerating,
  matchesNumber,
  minTolerationSeconds,
  tolerates,
  usedTolerations,
} from '../../../../shared/rules/pods/tolerations.ts';
import { taint } from '../../../support/objects/domain-objects.ts';

const compare = { comparisonOperators: true };

describe('tolerates', () => {
  const source = 'kubernetes v1.34 `TestTolerationToleratesTaint`';
  const gated = 'kubernetes v1.35 `TestTolerationToleratesTaint`';
  const foo = { key: 'foo', effect: 'NoSchedule' };
  const number = (operator: string, value: string): Toleration => ({ ...foo, operator, value });
  test.each<{ name: string; source: string; toleration: Toleration; taint: string; yes: boolean }>([
    {
      name: 'Exists covers a taint without value',
      source,
      toleration: { ...foo, operator: 'Exists' },
      taint: 'foo:NoSchedule',
      yes: true,
    },
    {
      name: 'Exists covers any value (T-12)',
      source,
      toleration: { ...foo, operator: 'Exists' },
      taint: 'foo=bar:NoSchedule',
      yes: true,
    },
    {
      name: 'Exists without key covers any key',
      source,
      toleration: { operator: 'Exists', effect: 'NoSchedule' },
      taint: 'foo=bar:NoSchedule',
      yes: true,
    },
    {
      name: 'Exists without key does not cover a node that shuts down (J-135)',
      source: 'own',
      toleration: { operator: 'Exists' },
      taint: 'rollcall.dev/shutting-down:NoSchedule',
      yes: false,
    },
    {
      name: 'Exists with its key does (J-135)',
      source: 'own',
      toleration: { key: 'rollcall.dev/shutting-down', operator: 'Exists' },
      taint: 'rollcall.dev/shutting-down:NoSchedule',
      yes: true,
    },
    {
      name: 'Equal covers the same value',
      source,
      toleration: { ...foo, operator: 'Equal', value: 'bar' },
      taint: 'foo=bar:NoSchedule',
      yes: true,
    },
    {
      name: 'Equal does not cover another value (T-12)',
      source,
      toleration: { key: 'foo', operator: 'Equal', value: 'value1' },
      taint: 'foo=value2:NoSchedule',
      yes: false,
    },
    {
      name: 'another effect is not covered',
      source,
      toleration: { ...foo, operator: 'Equal', value: 'bar' },
      taint: 'foo=bar:NoExecute',
      yes: false,
    },
    {
      name: 'Gt 950 does not cover 800 (T-12)',
      source: gated,
      toleration: number('Gt', '950'),
      taint: 'foo=800:NoSchedule',
      yes: false,
    },
    {
      name: 'Gt 750 covers 950',
      source: gated,
      toleration: number('Gt', '750'),
      taint: 'foo=950:NoSchedule',
      yes: true,
    },
    {
      name: 'Lt 800 does not cover 950',
      source: gated,
      toleration: number('Lt', '800'),
      taint: 'foo=950:NoSchedule',
      yes: false,
    },
    {
      name: 'Lt 950 covers 800',
      source: gated,
      toleration: number('Lt', '950'),
      taint: 'foo=800:NoSchedule',
      yes: true,
    },
    {
      name: 'Gt 950 does not cover 950',
      source: gated,
      toleration: number('Gt', '950'),
      taint: 'foo=950:NoSchedule',
      yes: false,
    },
    {
      name: 'Gt 950 does not cover words',
      source: gated,
      toleration: number('Gt', '950'),
      taint: 'foo=high:NoSchedule',
      yes: false,
    },
    {
      name: 'Gt -100 does not cover -200',
      source: gated,
      toleration: number('Gt', '-100'),
      taint: 'foo=-200:NoSchedule',
      yes: false,
    },
    {
      name: 'Gt of nearly 2^63 does not cover 100',
      source: gated,
      toleration: number('Gt', '9223372036854775806'),
      taint: 'foo=100:NoSchedule',
      yes: false,
    },
    {
      name: 'no operator is Equal',
      source,
      toleration: { ...foo, value: 'bar' },
      taint: 'foo=bar:NoSchedule',
      yes: true,
    },
    {
      name: 'no effect covers every effect',
      source,
      toleration: { key: 'foo', operator: 'Exists' },
      taint: 'foo:NoExecute',
      yes: true,
    },
    {
      name: 'another key is not covered',
      source,
      toleration: { ...foo, operator: 'Exists' },
      taint: 'bar:NoSchedule',
      yes: false,
    },
    {
      name: 'an unknown operator covers nothing',
      source,
      toleration: number('In', 'bar'),
      taint: 'foo=bar:NoSchedule',
      yes: false,
    },
  ])('$name', ({ toleration, taint: text, yes }) => {
    expect(tolerates(toleration, taint(text), compare)).toBe(yes);
  });

  test('does not compare numbers by default', () => {
    expect(tolerates(number('Gt', '750'), taint('foo=950:NoSchedule'))).toBe(false);
  });
});

// Source: kubernetes v1.35 `TestCompareNumericValues`.
describe('matchesNumber', () => {
  const MAX = '9223372036854775807';
  test.each([
    ['Gt', true, '100', '200'],
    ['Gt', true, '-100', '-50'],
    ['Gt', true, '0', '1'],
    ['Gt', true, '9223372036854775806', MAX],
    ['Gt', true, '0', MAX],
    ['Gt', false, '200', '100'],
    ['Gt', false, '100', '100'],
    ['Gt', false, '-50', '-100'],
    ['Gt', false, '0', '0'],
    ['Lt', true, '200', '100'],
    ['Lt', true, '-50', '-100'],
    ['Lt', true, '0', '-1'],
    ['Lt', true, '0', '-9223372036854775808'],
    ['Lt', false, '100', '200'],
    ['Lt', false, '100', '100'],
    ['Lt', false, '-100', '-50'],
    ['Lt', false, '0', '0'],
    ['Equal', false, '100', '100'],
    ['Exists', false, '100', '100'],
  ] as const)('%s is %s for toleration %s and taint %s', (operator, yes, toleration, value) => {
    expect(matchesNumber(operator, toleration, value)).toBe(yes);
  });

  test.each(['abc', '', '0100', '+100', '100.5', '-', '9223372036854775808'])(
    'a toleration of "%s" is not a number and matches nothing',
    (value) => {
      expect(['Gt', 'Lt'].map((operator) => matchesNumber(operator, value, '150'))).toEqual([false, false]);
    },
  );

  test.each(['xyz', '', '0200', '+200', ' 200 '])(
    'a taint of "%s" is not a number and matches nothing',
    (value) => {
      expect(['Gt', 'Lt'].map((operator) => matchesNumber(operator, '150', value))).toEqual([false, false]);
    },
  );
});

describe('the tolerations used for taints', () => {
  const tolerations: readonly Toleration[] = [
    { key: 'a', operator: 'Exists', tolerationSeconds: 12 },
    { operator: 'Exists', tolerationSeconds: 3 },
  ];

  test('are the first in list order that match (kubernetes v1.34 `GetMatchingTolerations`) (T-05)', () => {
    expect(firstTolerating(tolerations, taint('a:NoExecute'))?.tolerationSeconds).toBe(12);
    const used = usedTolerations(tolerations, ['b:NoExecute', 'a:NoExecute'].map(taint));
    expect(used?.map(({ tolerationSeconds }) => tolerationSeconds)).toEqual([3, 12]);
  });

  test('are undefined if one taint is not tolerated', () => {
    expect(
      usedTolerations(tolerations.slice(0, 1), ['a:NoExecute', 'b:NoExecute'].map(taint)),
    ).toBeUndefined();
  });

  test('are empty without taints', () => {
    expect(usedTolerations(tolerations, [])).toEqual([]);
  });
});

describe('minTolerationSeconds', () => {
  const source = 'kubernetes v1.34 `TestGetMinTolerationTime`';
  test.each<{
    name: string;
    source: string;
    seconds: readonly (number | undefined)[];
    min: number | undefined;
  }>([
    { name: 'is 0 for none', source, seconds: [], min: 0 },
    { name: 'is infinite for an infinite one', source, seconds: [undefined], min: undefined },
    { name: 'is the smaller of two (T-06)', source, seconds: [1, 2], min: 1 },
    { name: 'ignores an infinite one after a finite one (T-06)', source, seconds: [1, undefined], min: 1 },
    { name: 'ignores an infinite one before a finite one', source, seconds: [undefined, 1], min: 1 },
    {
      name: 'takes negative seconds for 0 (T-06)',
      source: 'kubernetes v1.34 `getMinTolerationTime`',
      seconds: [5, -7],
      min: 0,
    },
  ])('$name', ({ seconds, min }) => {
    const used = seconds.map((s) => ({
      operator: 'Exists',
      ...(s === undefined ? {} : { tolerationSeconds: s }),
    }));
    expect(minTolerationSeconds(used)).toBe(min);
  });
});
