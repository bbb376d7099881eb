import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stackPages } from '../architecture/generated/pages.ts';
import { synth, WITH_CLOUD, WITH_SINK } from './assembly.ts';

const PAGES = await stackPages(synth({ ...WITH_SINK, ...WITH_CLOUD }));

it.each([...PAGES])('%s is as generated: run npm run generate', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
