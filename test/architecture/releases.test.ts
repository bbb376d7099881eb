import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newestRelease, parseChanges } from '../../release/plan.ts';
import { readSources } from '../../release/tree.ts';

const textOf = (path: string): string => readFileSync(path, 'utf8');

const jsonOf = (path: string) => JSON.parse(textOf(path));

it('the changes that wait for a release can be read', () => {
  const { changes } = readSources();
  expect(parseChanges(changes)).toHaveLength(Object.keys(changes).length);
});

it('the example of the page about changes can be read', () => {
  const [, example = ''] = /^```\n(.*?)^```$/ms.exec(textOf('.changes/README.md')) ?? [];
  expect(parseChanges({ 'example.md': example })).toHaveLength(1);
});

it('the newest release of the CHANGELOG is the version of the package, and of its lock file', () => {
  const { version } = jsonOf('package.json');
  const lock = jsonOf('package-lock.json');
  expect(newestRelease(textOf('CHANGELOG.md'))).toBe(version);
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
});

it('the package has the CHANGELOG', () => {
  expect(jsonOf('package.json').files).toContain('CHANGELOG.md');
});
