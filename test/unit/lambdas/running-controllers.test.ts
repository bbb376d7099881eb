import { describe, expect, it } from 'vitest';
import { CONTROLLERS } from '../../../lambdas/controllers.ts';
import { runningControllers } from '../../../lambdas/running-controllers.ts';
import { parseHostConfiguration } from '../../../shared/settings/host/host-configuration.ts';

const ALL = CONTROLLERS.map(({ name }) => name);
const without = (...names: readonly string[]) => ALL.filter((name) => !names.includes(name));

describe('the controllers that a host runs', () => {
  it.each([
    ['all', ALL],
    ['*', ALL],
    ['none', []],
    ['*,-job', without('job')],
    ['-job,*,-namespace', without('job', 'namespace')],
    ['scheduler', ['scheduler']],
    ['job, scheduler', ['scheduler', 'job']],
    ['*,job', ALL],
    // What is taken away stays away, wherever it stands.
    ['job,-job,scheduler', ['scheduler']],
  ])('with "%s"', (list, expected) => {
    expect(parseHostConfiguration({ controllers: list }).controllers).toBe(list);
    expect(runningControllers(list)).toEqual(expected);
  });

  it.each(['', 'none,job', '*,all', '*,-none', '-*', 'Job', '*,', true])(
    'are not told by %j',
    (controllers) =>
      expect(() => parseHostConfiguration({ controllers })).toThrow(/controllers: .* is refused/),
  );

  it.each([
    ['some', '"some" is no controller; the controllers are '],
    ['*,-persistentvolume-binder', '"-persistentvolume-binder" is no controller; the controllers are '],
    ['-job', '"-job" leaves none'],
    ['job,-job', '"job,-job" leaves none'],
  ])('are not told by "%s", with the reason', (list, reason) =>
    expect(() => runningControllers(list)).toThrow(`controllers: ${reason}`),
  );
});
