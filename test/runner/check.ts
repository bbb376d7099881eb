/** `npm run check`: what is fast enough for every save. With `-- --changed`, what the rooms of the changed files must run instead. */
import { parseArgs } from 'node:util';
import { changedParts } from './changed.ts';
import type { Part } from './parts.ts';
import { closing, runParts, vitestPart } from './parts.ts';

export const CHECK: readonly Part[] = [
  vitestPart('test:unit'),
  vitestPart('test:property'),
  { script: 'test:types' },
  { script: 'test:lint' },
  { script: 'test:format' },
  { script: 'test:unused' },
  { script: 'test:audit' },
  vitestPart('test:architecture'),
  vitestPart('test:host-budgets'),
];

if (import.meta.main) {
  const { values } = parseArgs({ options: { changed: { type: 'boolean' } } });
  process.exitCode = closing(await runParts(values.changed ? changedParts() : CHECK, 2));
}
