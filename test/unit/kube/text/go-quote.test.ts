import { describe, expect, it } from 'vitest';
import { printedValue, quote } from '../../../../shared/kube/text/go-quote.ts';

describe('a text, quoted like Go', () => {
  // biome-ignore format: one row per class of characters
  it.each([
    ['plain', '"plain"'],
    ['a "b" \\c', String.raw`"a \"b\" \\c"`],
    ['\u0007\b\f\n\r\t\v', String.raw`"\a\b\f\n\r\t\v"`],
    ['\u0000\u001b\u007f', String.raw`"\x00\x1b\x7f"`],
    ['\u0080\u00a0\u200b\u2028', String.raw`"\u0080\u00a0\u200b\u2028"`],
    ['ä € 漢 😀', '"ä € 漢 😀"'],
    ['\u{e0001}', String.raw`"\U000e0001"`],
    ['<&>', '"<&>"'],
  ])('%j', (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });
});

describe('a value in a message', () => {
  it.each([
    ['\u001b[31m', String.raw`"\x1b[31m"`],
    [5, '5'],
    [null, 'null'],
    [undefined, 'null'],
    [['<a>'], String.raw`["\u003ca\u003e"]`],
  ])('%j', (value, printed) => {
    expect(printedValue(value)).toBe(printed);
  });
});
