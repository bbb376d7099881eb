import { describe, expect, it } from 'vitest';
import {
  inputOf,
  inputWord,
  launchWords,
  pipeLines,
  terminalLines,
} from '../../../../../agent/rules/runtime/container-input.ts';

const [INPUT, TERMINAL] = [
  { hasInput: true, endsWithClient: false, isTerminal: false },
  { hasInput: true, endsWithClient: false, isTerminal: true },
];

describe('J-310: the standard input of a container', () => {
  it.each([
    [{}, undefined],
    [{ stdin: false, stdinOnce: true, tty: false }, undefined],
    [{ stdin: true }, INPUT],
    [
      { stdin: true, stdinOnce: true },
      { ...INPUT, endsWithClient: true },
    ],
    [{ stdin: true, tty: true }, TERMINAL],
    [
      { tty: true, stdinOnce: true },
      { ...TERMINAL, hasInput: false },
    ],
  ])('%j', (fields, expected) => {
    expect(inputOf({ name: 'c', ...fields })).toEqual(expected);
  });

  it('is a pipe that somebody holds open, so that the program sees an end only when it is ended', () => {
    expect(pipeLines(INPUT).join('\n')).toMatch(/^mkfifo -m 600 stdin stdin-end \|\| exit 125\n.* 9<>stdin /);
    expect(inputWord(INPUT)).toBe(' <stdin');
  });

  it('is a pipe without an end for what makes a terminal', () => {
    expect(pipeLines(TERMINAL)).toEqual(['mkfifo -m 600 stdin || exit 125']);
    expect(inputWord(TERMINAL)).toBe(' <>stdin');
    expect(launchWords('/bin/sh', './setup.sh', '/usr/bin/script')).toEqual([
      '/usr/bin/script',
      '--quiet',
      '--return',
      '--flush',
      '--echo',
      'always',
      '--command',
      "exec '/bin/sh' './setup.sh'",
      '/dev/null',
    ]);
    expect(terminalLines(7)).toContain('chown 7 "$(tty)"');
  });

  it('is empty otherwise', () => {
    expect([pipeLines(undefined), inputWord(undefined)]).toEqual([[], '']);
    expect(launchWords('/bin/sh', './setup.sh', undefined)).toEqual(['/bin/sh', './setup.sh']);
  });
});
