import { describe, expect, it } from 'vitest';
import { commandWith, keepsHeap, LARGE_HEAP } from '../../../bundling/heap.ts';

const MUCH = 24e9;

describe('a program with another heap', () => {
  const started = { execPath: '/node', execArgv: ['--enable-source-maps'] };

  it('is started again with its own flags and arguments', () => {
    const argv = ['/node', '/rollcall.js', 'serve', '--folder', 'x'];
    expect(commandWith(LARGE_HEAP, { ...started, argv }, false)).toEqual([
      '/node',
      '--enable-source-maps',
      '--max-old-space-size=5500',
      '/rollcall.js',
      'serve',
      '--folder',
      'x',
    ]);
  });

  it('as an executable takes the flags in one argument', () => {
    const argv = ['/rollcall', '/rollcall', 'serve'];
    expect(commandWith(['--a', '--b=1'], { ...started, execPath: '/rollcall', argv }, true)).toEqual([
      '/rollcall',
      '--node-options=--a --b=1',
      'serve',
    ]);
  });

  it.each<[string, boolean, readonly string[], string | undefined, number]>([
    ['has none of its own on a large machine', false, ['--enable-source-maps'], undefined, MUCH],
    ['has one from its command line', true, ['--max-old-space-size=9000'], undefined, MUCH],
    ['has one from NODE_OPTIONS', true, [], '--no-warnings --max-old-space-size=9000', MUCH],
    ['is on a small machine', true, [], undefined, 4e9],
    ['has the large one already', true, LARGE_HEAP, undefined, MUCH],
  ])('that %s keeps it: %s', (_, keeps, execArgv, options, memory) => {
    const env = options === undefined ? {} : { NODE_OPTIONS: options };
    expect(keepsHeap({ execArgv: [...execArgv], env }, memory)).toBe(keeps);
  });
});
