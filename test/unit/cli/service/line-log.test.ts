import { describe, expect, it } from 'vitest';
import { lineLog } from '../../../../cli/service/line-log.ts';

const said = (message: string, error?: unknown): string => {
  const lines: string[] = [];
  lineLog({ complain: (text) => void lines.push(text) })(message, error);
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
};

describe('a line of the log', () => {
  it.each([
    ['a pod', undefined, 'a pod'],
    ['a pod', new Error('it failed'), 'a pod: it failed'],
    ['a pod', 'text', 'a pod: text'],
    ['a\nb', new Error('c\r\nagent: forged'), String.raw`a\nb: c\r\nagent: forged`],
    ['\u001b[2J', new Error('\u0085\u2028\u202e'), String.raw`\u001b[2J: \u0085\u2028\u202e`],
  ])('of %j and %o is %j', (message, error, line) => expect(said(message, error)).toBe(line));

  it.each(['x', 'ä', '€', '😀'])('has at most 1 KiB of a text of %s', (character) => {
    const line = said('pod', new Error(character.repeat(10_000_000)));
    const text = line.slice('pod: '.length, -1);
    expect(line.at(-1)).toBe('…');
    expect(text).toBe(character.repeat(text.length / character.length));
    expect(Buffer.byteLength(text)).toBe(1024 - (1024 % Buffer.byteLength(character)));
  });
});
