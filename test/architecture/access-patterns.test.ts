import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../../shared/adapters/dynamodb');
const ID = /\bAP-\d+\b/g;

const textOf = (name: string): string => readFileSync(resolve(FOLDER, name), 'utf8');

const idsIn = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.match(ID) ?? []).toSorted();

it('names each access pattern once in the README and once in the code', () => {
  const documented = idsIn([textOf('README.md')]);
  const implemented = idsIn(globSync('**/*.ts', { cwd: FOLDER }).map(textOf));
  expect(documented.length).toBeGreaterThan(0);
  expect(new Set(documented).size, 'an id stands twice in the README').toBe(documented.length);
  expect(implemented, 'README and docstrings name different access patterns').toEqual(documented);
});
