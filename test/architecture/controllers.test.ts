import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONTROLLERS, loadControllers } from '../../lambdas/controllers.ts';
import { GROUP_NAMES, GROUPS, groupOf } from '../../lambdas/groups.ts';

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

  it('names all of them, as only the groups of AWS do', () => {
    const files = globSync(
      '{shared,lambdas,gateway,host,relay,simulation,terminal,dashboard,cdk,cli}/**/*.ts',
    ).filter((path) => {
      const text = textOf(path);
      return NAMES.every((name) => text.includes(name));
    });
    expect(files.toSorted()).toEqual(['lambdas/controllers.ts', 'lambdas/groups.ts']);
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
  it.each(LOADED)('$name: is in the runbook, where it says what stands still without it', ({ name }) => {
    expect(textOf('docs/runbook.md')).toContain(`\n| \`${name}\``);
  });

  it.each(NAMES)('%s: is in one group', (name) => {
    const groups = GROUP_NAMES.filter((group) => GROUPS[group].controllers.some((one) => one === name));
    expect(groups).toEqual([groupOf(name)]);
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
