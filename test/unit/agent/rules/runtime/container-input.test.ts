import { describe, expect, it } from 'vitest';
import { inputOf } from '../../../../../agent/rules/runtime/container-input.ts';

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
});
