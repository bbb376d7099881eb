import { describe, expect, it } from 'vitest';
import { CommandError } from '../../../../cli/shell/command.ts';
import { tellFailure } from '../../../../cli/shell/failure.ts';

const told = (error: unknown): readonly [number, string] => {
  const lines: string[] = [];
  const code = tellFailure('rollcall', error, { complain: (text) => void lines.push(text) });
  return [code, lines.join('\n')];
};

describe('a command that fails', () => {
  it('says why, and ends with its code', () =>
    expect(told(new CommandError('two\n  - faults', 3))).toEqual([3, 'rollcall: two\n  - faults']));

  it('says where it was, if nobody has expected it, and no text of others makes a line', () => {
    const [code, text] = told(new TypeError('no\nforged\n    at forged (file:1:1)'));
    expect(code).toBe(1);
    const [first, ...frames] = text.split('\n');
    expect(first).toBe(String.raw`rollcall: unexpected error: no\nforged\n    at forged (file:1:1)`);
    expect(frames[0]).toMatch(/^ {4}at .*failure\.test\.ts/);
    expect(told('a\nb')).toEqual([1, String.raw`rollcall: unexpected error: a\nb`]);
  });
});
