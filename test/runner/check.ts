/** `npm run check`: what is fast enough for every save. */
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
];

if (import.meta.main) process.exitCode = closing(await runParts(CHECK, 2));
