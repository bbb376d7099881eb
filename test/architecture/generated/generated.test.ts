import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourcePages } from './pages.ts';

const PAGES = await sourcePages();
/** `test/infrastructure/generated.test.ts` compares these. */
const OF_THE_STACK = ['docs/reference/alarms.md', 'docs/reference/controllers.md'];

it.each([...PAGES])('%s is as generated: run npm run generate', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

it('docs/reference has no page that nothing generates', () => {
  const known = [...PAGES.keys(), ...OF_THE_STACK];
  expect(globSync('docs/reference/*').filter((path) => !known.includes(path))).toEqual([]);
});
