import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { helpText } from '../../../../cli/options/help-text.ts';
import { descriptionOf, kindOf, outputOption } from '../../../../cli/options/option-table.ts';
import { wrapped } from '../../../../cli/options/wrapped-text.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const COMMANDS = [...(await runCommandLine('--help')).printed.matchAll(/^ {2}([a-z-]+) /gm)].map(
  ([, name = '']) => name,
);

describe('the help', () => {
  it.each(COMMANDS)('of %s has no line of more than 100 columns, and names each value', async (name) => {
    const { printed } = await runCommandLine(`${name} --help`);
    expect(printed.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(printed).not.toMatch(/^ +--\S+ VALUE\b/m);
  });

  it('lists options by headings, in the order of their first options, and their texts in one column', () => {
    const text = helpText({
      lines: ['rollcall try', 'rollcall try NAME'],
      about: ['Tries.'],
      words: [['NAME', 'what is tried']],
      options: {
        all: { type: 'boolean', describe: 'all of it' },
        file: { type: 'string', value: 'FILE', describe: 'a file', group: 'Files', multiple: true },
        ttl: { type: 'string', value: 'DURATION', short: 't', describe: 'how long', default: '1h' },
        [`a${'-long'.repeat(8)}`]: { type: 'boolean', describe: 'word '.repeat(20).trim() },
      },
      notes: ['That is all.'],
      example: 'rollcall try one',
    });
    expect(text).toBe(
      `
Usage: rollcall try
       rollcall try NAME

Tries.

  NAME  what is tried

Options:
  --all               all of it
  -t, --ttl DURATION  how long (default 1h)
  --a-long-long-long-long-long-long-long-long
                      word word word word word word word word word word word word word word word
                      word word word word word

Files:
  --file FILE         a file; may be given several times

That is all.

Example: rollcall try one
`.trim(),
    );
  });
});

it('wrapped text has the same words, and lines that are only wider than asked for one long word', () => {
  const word = fc.stringMatching(/^[a-z]{1,30}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 60 }), (words, width) => {
      const lines = wrapped(words.join(' '), width);
      expect(lines.join(' ')).toBe(words.join(' '));
      for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true);
    }),
  );
});

it.each([
  [{ type: 'boolean', describe: 'x' }, 'x', undefined],
  [{ type: 'boolean', describe: 'x', default: false }, 'x', undefined],
  [{ type: 'string', value: 'FILE', describe: 'x' }, 'x', 'files'],
  [{ type: 'string', value: 'FOLDER', describe: 'x', default: '.' }, 'x (default .)', 'folders'],
  [
    { type: 'string', value: 'NAME', describe: 'x', multiple: true },
    'x; may be given several times',
    'anything',
  ],
  [{ type: 'string', value: 'FILE', describe: 'x', complete: ['a', 'b'] }, 'x', ['a', 'b']],
  [outputOption('text', 'json'), 'text or json (default text)', ['text', 'json']],
] as const)('of the option %o the description and what completes it are known', (option, text, kind) => {
  expect([descriptionOf(option), kindOf(option)]).toEqual([text, kind]);
});
