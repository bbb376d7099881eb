import { describe, expect, it } from 'vitest';
import {
  demandedValue,
  matchesFields,
  parseFieldSelector,
} from '../../../../shared/kube/selector/field-selector.ts';
import { matchesLabels, parseLabelSelector } from '../../../../shared/kube/selector/label-selector.ts';
import { selectorFrom, selectorText } from '../../../../shared/kube/selector/object-selector.ts';

describe('a label selector', () => {
  const labels = { tier: 'a', num: '5', empty: '', 'example.com/x': 'y' };

  it.each([
    ['', true],
    ['tier', true],
    ['!tier', false],
    ['!other', true],
    ['tier=a', true],
    ['tier==a', true],
    ['tier!=a', false],
    ['other!=a', true],
    ['tier in (a, b)', true],
    ['tier in ()', false],
    ['tier notin (a)', false],
    ['other notin (a)', true],
    ['empty=', true],
    ['empty in (,x)', true],
    ['num>4,num<6', true],
    ['num>5', false],
    ['tier>4', false],
    ['example.com/x=y , tier in ( a )', true],
    ['in in (in)', false],
  ])('%j: %s', (selector, expected) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(expected);
  });

  it.each([
    ['a b c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    [',a=b', "found ',', expected: !, identifier, or 'end of string'"],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a/b/c=1', /^unable to parse requirement: <nil>: Invalid value: "a\/b\/c": a qualified name/],
    [`a=${'x'.repeat(64)}`, /^unable to parse requirement: values\[0\]\[a\]: Invalid value/],
  ])('%j is refused', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(message);
  });
});

describe('a field selector', () => {
  const fields = { 'metadata.name': 'a,b', 'spec.nodeName': '' };

  it.each([
    ['', true],
    ['metadata.name=a\\,b', true],
    ['metadata.name==a\\,b,spec.nodeName=', true],
    ['spec.nodeName!=', false],
    ['spec.nodeName!=n1,', true],
  ])('%j: %s', (selector, expected) => {
    expect(matchesFields(parseFieldSelector(selector), fields)).toBe(expected);
  });

  it.each([
    ['bad', "invalid selector: 'bad'; can't understand 'bad'"],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused', (selector, message) => {
    expect(() => parseFieldSelector(selector)).toThrow(message);
  });

  it('returns the value that it requires', () => {
    const requirements = parseFieldSelector('spec.nodeName=n1,status.phase!=Failed');
    expect(demandedValue(requirements, 'spec.nodeName')).toBe('n1');
    expect(demandedValue(requirements, 'status.phase')).toBeUndefined();
  });
});

describe('a label selector of an object', () => {
  it.each([
    ['', '', {}],
    ['b=2,a=1', 'a=1,b=2', { matchLabels: { a: '1', b: '2' } }],
    ['a=', 'a=', { matchLabels: { a: '' } }],
    ['a in (1)', 'a=1', { matchLabels: { a: '1' } }],
    ['a in (2,1)', 'a in (1,2)', { matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }],
    ['a!=1', 'a notin (1)', { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }],
    [
      'a,!b',
      'a,!b',
      {
        matchExpressions: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'DoesNotExist' },
        ],
      },
    ],
    // Nothing has both: a map would keep one.
    [
      'a=1,a=2',
      'a in (1),a in (2)',
      {
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'a', operator: 'In', values: ['2'] },
        ],
      },
    ],
  ])('is made from %j, and printed as %j', (text, printed, selector) => {
    expect(selectorFrom(parseLabelSelector(text))).toEqual(selector);
    expect(selectorText(selector)).toBe(printed);
  });

  it('compares no numbers', () => {
    expect(selectorFrom(parseLabelSelector('a>1'))).toBeUndefined();
  });
});
