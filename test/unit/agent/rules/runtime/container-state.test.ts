import { describe, expect, it } from 'vitest';
import {
  claimIn,
  type Evidence,
  exitIn,
  exitText,
  foundState,
  mainIn,
  shownEnd,
} from '../../../../../agent/rules/runtime/container-state.ts';

const SHIM = { pid: 10, startTime: '100' };
const MAIN = { pid: 11, startTime: '101' };
const CLAIM = { ...SHIM, bootId: 'b1' };
const EXIT = { code: 0, oomKills: 0, isUnknown: false };

type Case = [string, string, Omit<Evidence, 'isAlive' | 'bootId'>, number[], string?];

describe('what the files say of a container', () => {
  it.each<Case>([
    ['nobody has begun to start it', 'reserved', {}, []],
    ['its shim has begun', 'starting', { claim: CLAIM }, [10]],
    ['its shim was killed before the program ran', 'lost', { claim: CLAIM }, []],
    ['its program runs', 'running', { claim: CLAIM, main: MAIN }, [10, 11]],
    ['its program runs without the shim', 'running', { claim: CLAIM, main: MAIN }, [11]],
    ['its program has ended, which the shim writes down', 'running', { claim: CLAIM, main: MAIN }, [10]],
    ['program and shim were killed', 'lost', { claim: CLAIM, main: MAIN }, []],
    ['its end is written down', 'exited', { claim: CLAIM, main: MAIN, exit: EXIT }, [10]],
    ['its end is written down, whoever has its number since', 'exited', { exit: EXIT }, [10, 11]],
    ['the machine was started since', 'lost', { claim: CLAIM, main: MAIN }, [10, 11], 'b2'],
    [
      'its end was written down before the machine was started',
      'exited',
      { claim: CLAIM, exit: EXIT },
      [],
      'b2',
    ],
  ])('%s: %s', (_, state, marks, alive, bootId = 'b1') => {
    expect(foundState({ ...marks, bootId, isAlive: ({ pid }) => alive.includes(pid) })).toBe(state);
  });

  it('is told by the start time of a process, too', () => {
    const isAlive: Evidence['isAlive'] = ({ pid, startTime }) => pid === 11 && startTime === '999';
    expect(foundState({ claim: CLAIM, main: MAIN, bootId: 'b1', isAlive })).toBe('lost');
  });

  it.each([
    ['10 100 b1\n', { pid: 10, startTime: '100', bootId: 'b1' }],
    ['10 100 b1', undefined],
    ['10 100\n', undefined],
    ['', undefined],
  ])('is not read from a claim that is not whole: %j', (text, claim) => {
    expect(claimIn(text)).toEqual(claim);
  });

  it.each([
    ['11 101\n', MAIN],
    ['11', undefined],
    ['', undefined],
  ])('is not read from a mark that is not whole: %j', (text, main) => {
    expect(mainIn(text)).toEqual(main);
  });

  it.each([
    { code: 137, oomKills: 2, isUnknown: false },
    { code: 255, oomKills: 0, isUnknown: true },
  ])('is read as it was written: %j', (exit) => {
    expect(exitIn(exitText(exit))).toEqual(exit);
  });

  it('is not read from an end that is not whole', () => {
    expect(['', '1', '1 0', '-1 0\n'].map(exitIn)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('the end of a container, as the API shows it', () => {
  it.each([
    ['a program that succeeds', { code: 0, oomKills: 0 }, true, 0, 'Completed'],
    ['a program that fails', { code: 3, oomKills: 0 }, true, 3, 'Error'],
    ['a program that SIGTERM ends', { code: 143, oomKills: 0 }, true, 143, 'Error'],
    ['a program that the kernel ends for want of memory', { code: 137, oomKills: 1 }, true, 137, 'OOMKilled'],
    [
      'a program that fails because the kernel ended its child',
      { code: 1, oomKills: 1 },
      true,
      1,
      'OOMKilled',
    ],
    ['a program that succeeds without that child (D-290)', { code: 0, oomKills: 1 }, true, 0, 'Completed'],
    ['a program that could not be started', { code: 125, oomKills: 0 }, false, 128, 'StartError'],
  ])('%s', (_, exit, hasRun, exitCode, reason) => {
    expect(shownEnd({ ...exit, isUnknown: false }, hasRun)).toEqual({ exitCode, reason });
  });

  it('is unknown if nobody saw it', () => {
    const exit = { code: 255, oomKills: 1, isUnknown: true };
    expect(shownEnd(exit, true)).toEqual({ exitCode: 255, reason: 'Unknown' });
  });
});
