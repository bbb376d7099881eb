import { describe, expect, it } from 'vitest';
import { criLine } from '../../../../../agent/rules/logs/cri-line.ts';
import { logText } from '../../../../../agent/rules/plain/log-text.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const written = (text: string | Buffer, stream: 'stdout' | 'stderr' = 'stdout'): string =>
  logText(stream, Buffer.from(text), AT).toString();

describe('the log of a plain process', () => {
  it.each([
    ['lines', 'a\nb c\n', ['F a', 'F b c']],
    ['an empty line', '\n', ['F ']],
    ['a prompt, which is seen at once', 'name? ', ['P name? ']],
    ['a line and the beginning of the next', 'a\nb', ['F a', 'P b']],
    ['the end of a line that came in parts', '\nb\n', ['F ', 'F b']],
    ['nothing', '', []],
  ])('has %s', (_, text, lines) => {
    expect(written(text)).toBe(
      lines.map((line) => `2026-01-02T03:04:05.678000000Z stdout ${line}\n`).join(''),
    );
  });

  it('says which stream it was', () => {
    expect(written('no\n', 'stderr')).toBe('2026-01-02T03:04:05.678000000Z stderr F no\n');
  });

  it('keeps bytes that are no text', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xe2, 0x82]);
    expect(logText('stdout', bytes, AT).subarray(-5, -1)).toEqual(bytes);
  });

  it.each([
    ['with an end', '\n', 'F'],
    ['without one', '', 'P'],
  ])('cuts a long line %s into parts, which readers put together', (_, end, tag) => {
    const text = 'x'.repeat(40_000);
    const lines = logText('stdout', Buffer.from(text + end), AT)
      .toString()
      .split(/(?<=\n)/);
    expect(lines.map((line) => line.split(' ')[2])).toEqual(['P', 'P', tag]);
    const read = lines.map((line) => criLine(Buffer.from(line))?.text ?? '');
    expect(Buffer.concat(read.map((part) => Buffer.from(part))).toString()).toBe(text + end);
  });
});
