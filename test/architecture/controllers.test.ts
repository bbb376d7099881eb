import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONTROLLERS, loadControllers } from '../../lambdas/controllers.ts';

const NAMES = CONTROLLERS.map(({ name }) => name);
const LOADED = await loadControllers();
const QUEUES = LOADED.flatMap(({ queue }) => (queue ? [queue.name] : []));

const textOf = (path: string): string => readFileSync(path, 'utf8');
const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

describe('the list of controllers', () => {
  it('has every folder of lambdas with a reconcile, by the name of its folder', () => {
    const folders = globSync('lambdas/*/{reconcile,controller,work}.ts', {
      exclude: ['lambdas/contract/**'],
    }).map((path) => path.split('/')[1] ?? '');
    expect([...new Set(folders)].toSorted()).toEqual(NAMES.toSorted());
  });

  it('is the only place outside of tests that names all of them', () => {
    const files = globSync(
      '{shared,lambdas,gateway,host,relay,simulation,terminal,dashboard,cdk,cli}/**/*.ts',
    ).filter((path) => {
      const text = textOf(path);
      return NAMES.every((name) => text.includes(name));
    });
    expect(files.toSorted()).toEqual(['cdk/stacks/rollcall-stack.ts', 'lambdas/controllers.ts']);
  });

  it('has one controller for each queue, and one schedule for each name', () => {
    expect(repeated(QUEUES)).toEqual([]);
    expect(repeated(LOADED.flatMap(({ scheduled }) => scheduled.map(({ name }) => name)))).toEqual([]);
  });

  it('is where queues have their names: whoever sends uses the constant', () => {
    const files = globSync('{shared,lambdas,gateway,host,relay,simulation,terminal,dashboard}/**/*.ts');
    expect(files.filter((path) => /\.send\(\s*['"`]/.test(textOf(path)))).toEqual([]);
  });
});

describe('each controller', () => {
  const headings = new Set(
    [...textOf('docs/runbook.md').matchAll(/^### (.+)$/gm)].map(([, heading]) => heading),
  );

  it.each(LOADED)('$name: its alarms have their sections in the runbook', ({ name, queue }) => {
    const sections = [`${name}-errors`, ...(queue ? [`${queue.name}-dead-letters`] : [])];
    expect(sections.filter((section) => !headings.has(section))).toEqual([]);
  });

  it.each(LOADED)('$name: has a construct', ({ name }) => {
    expect(globSync(`cdk/{controllers,functions}/**/${name}.ts`)).toHaveLength(1);
  });

  it.each(LOADED)('$name: has metrics whose names are its own', ({ work }) => {
    expect(work.metrics.length).toBeGreaterThan(0);
    const all = LOADED.flatMap((one) =>
      one.work.metrics.map((metric) => `${metric.subsystem}_${metric.name}`),
    );
    expect(repeated(all)).toEqual([]);
  });

  it.each(LOADED)('$name: runs on every schedule that it names', ({ name, scheduled, work }) => {
    const listed = CONTROLLERS.find((one) => one.name === name);
    expect(scheduled.map((run) => run.name)).toEqual(Object.keys(listed?.schedules ?? {}));
    expect(Object.keys(work.runs)).toEqual(Object.keys(listed?.schedules ?? {}));
  });
});
