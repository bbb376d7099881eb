import { describe, expect, it } from 'vitest';
import { shownEnd } from '../../../../../agent/rules/containers/exit.ts';

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
