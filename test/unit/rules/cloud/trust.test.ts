import { describe, expect, it } from 'vitest';
import { isTrusted } from '../../../../shared/rules/cloud/trust.ts';

const some = (count: number, isReady: boolean, isKnown: boolean) =>
  Array.from({ length: count }, () => ({ isReady, isKnown }));

describe('a provider that does not find machines (J-75)', () => {
  const rows: readonly [string, ReturnType<typeof some>, boolean][] = [
    [
      'that knows no machine at all is not believed',
      [...some(3, true, false), ...some(2, false, false)],
      false,
    ],
    ['that knows no machine of a fleet without ready nodes is not believed', some(5, false, false), false],
    ['that is asked nothing is not believed', [], false],
    [
      'that knows all machines of ready nodes is believed',
      [...some(3, true, true), ...some(9, false, false)],
      true,
    ],
    [
      'that misses one of two ready nodes is believed',
      [...some(1, true, true), ...some(1, true, false)],
      true,
    ],
    [
      'that misses most ready nodes is not believed',
      [...some(2, true, true), ...some(3, true, false)],
      false,
    ],
    [
      'that knows some machine of a silent fleet is believed',
      [...some(1, false, true), ...some(9, false, false)],
      true,
    ],
  ];
  it.each(rows)('%s', (_, answers, expected) => {
    expect(isTrusted(answers)).toBe(expected);
  });
});
