import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandWith, keepsHeap, LARGE_HEAP, SMALL_HEAP } from '../../../bundling/heap.ts';

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

/** Makes garbage, and prints how often it was collected and how often V8's other threads have been woken. */
const GARBAGE = `
const { readdirSync, readFileSync } = require('node:fs');
const textOf = (thread, name) => readFileSync('/proc/self/task/' + thread + '/' + name, 'utf8');
const wakeUps = () => readdirSync('/proc/self/task')
  .filter((thread) => textOf(thread, 'comm').startsWith('V8Worker'))
  .reduce((sum, thread) => sum + Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(textOf(thread, 'status'))[1]), 0);
let [rounds, collections, kept] = [0, 0, []];
new PerformanceObserver((list) => { collections += list.getEntries().length; }).observe({ entryTypes: ['gc'] });
const round = () => {
  for (let index = 0; index < 20_000; index += 1) kept.push({ index });
  kept = [];
  if ((rounds += 1) < 600) setImmediate(round);
  else console.log(JSON.stringify({ collections, wakeUps: wakeUps() }));
};
round();
`;

it.runIf(process.platform === 'linux')('a small heap is collected without waking other threads', () => {
  const output = execFileSync(process.execPath, [...SMALL_HEAP, '-e', GARBAGE]).toString();
  const { collections, wakeUps } = JSON.parse(output) as Record<string, number>;
  expect(collections).toBeGreaterThan(100);
  expect(wakeUps).toBeLessThan(collections ?? 0);
});
