import { readFileSync } from 'node:fs';

const textOf = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();

/** The docstrings of a file, each by the name of what stands behind it: an exported constant, or a key of an object. */
export const docstringsIn = (path: string): ReadonlyMap<string, string> =>
  new Map(
    [
      ...readFileSync(path, 'utf8').matchAll(
        /\/\*\*((?:(?!\*\/).)*)\*\/\s*(?:export const (\w+)|(\w+)[:,])/gs,
      ),
    ].map(([, comment = '', constant, key]) => [constant ?? key ?? '', textOf(comment)]),
  );
