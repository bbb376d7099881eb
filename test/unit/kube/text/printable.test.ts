import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../../../shared/kube/text/printable.ts';

describe('printable text', () => {
  it.each([
    ['an escape sequence', '\u001b[2Jgone', String.raw`\u001b[2Jgone`],
    ['a forged line', 'ok\n15:04:05 forged', String.raw`ok\n15:04:05 forged`],
    ['a carriage return and a tab', 'a\rb\tc', String.raw`a\rb\tc`],
    ['a NUL and a DEL', 'a\u0000b\u007f', String.raw`a\u0000b\u007f`],
    ['a control sequence introducer of C1', '\u009b2J\u0085', String.raw`\u009b2J\u0085`],
    ['bidi controls', '\u202egnp.exe\u2069', String.raw`\u202egnp.exe\u2069`],
    ['zero-width characters', 'n\u200b1\ufeff\u2060', String.raw`n\u200b1\ufeff\u2060`],
    ['line and paragraph separators', 'a\u2028b\u2029c', String.raw`a\u2028b\u2029c`],
    ['a tag character', '\u{e0041}', String.raw`\udb40\udc41`],
    ['a lone surrogate', 'a\ud800b', String.raw`a\ud800b`],
  ])('shows %s as an escape', (_, text, shown) => expect(printable(text)).toBe(shown));

  it.each(['web-1', 'Größe 東京 🚀', String.raw`C:\new`])('keeps %o unchanged', (text) =>
    expect(printable(text)).toBe(text),
  );

  it('keeps the value of a JSON text', () => {
    const value = { message: 'a\u009b2J\u202e\u001b[31m\nforged \u{e0041}' };
    const shown = printable(JSON.stringify(value));
    expect(JSON.parse(shown)).toEqual(value);
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('keeps the line ends of text of several lines', () =>
    expect(printableLines('a\nb\u001b')).toBe('a\nb\\u001b'));
});
