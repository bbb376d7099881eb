import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What stands after `from` or a bare `import`; `import()` has a parenthesis, and comes later. */
const STATIC = /\b(?:from|import)\s*"(\.\/[^"]+\.mjs)"/g;

const importsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(STATIC)].map(([, file = '']) => join(dirname(path), file));

/** The files that a cold start of a bundle reads: `index` and what it imports, directly or not. */
export const coldFiles = (index: string): ReadonlySet<string> => {
  const found = new Set([index]);
  for (const path of found) for (const file of importsOf(path)) found.add(file);
  return found;
};

/** Bytes that a cold start reads. */
export const coldSize = (index: string): number =>
  [...coldFiles(index)].reduce((sum, path) => sum + statSync(path).size, 0);
