import { expect, it } from 'vitest';
import { parsePercentage } from '../../../../../../agent/rules/eviction/thresholds/threshold-config.ts';

const invalid = (text: string) => ({ error: `strconv.ParseFloat: parsing "${text}": invalid syntax` });

it.each([
  ['25.5%', Math.fround(0.255)],
  ['.5%', Math.fround(0.005)],
  ['5.%', Math.fround(0.05)],
  ['0x1p4%', Math.fround(0.16)],
  ['-0X1.8p1%', Math.fround(-0.03)],
  ['1_000e-2%', Math.fround(0.1)],
  ['-inf%', -Infinity],
  ['+Infinity%', Infinity],
  ['1e39%', { error: 'strconv.ParseFloat: parsing "1e39": value out of range' }],
  ['blah', invalid('blah')],
  ['foo%', invalid('foo')],
  ['12%345', invalid('12%345')],
  ['0x%', invalid('0x')],
  ['0xp1%', invalid('0xp1')],
  ['_1%', invalid('_1')],
  ['1__0%', invalid('1__0')],
  ['1_%', invalid('1_')],
  ['+nan%', invalid('+nan')],
  ['.%', invalid('.')],
  ['1e%', invalid('1e')],
])('%s is read as Go reads it', (text, wanted) => {
  expect(parsePercentage(text)).toEqual(wanted);
});
