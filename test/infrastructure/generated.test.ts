import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stackPages } from '../architecture/generated/pages.ts';
import { synth, WITH_CAPACITY, WITH_CLOUD, WITH_SINK } from './assembly.ts';

const PAGES = await stackPages(synth({ ...WITH_SINK, ...WITH_CLOUD, ...WITH_CAPACITY }));

it.each([...PAGES])('%s is as generated: run npm run generate', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
