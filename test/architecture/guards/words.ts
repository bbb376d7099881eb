/** The guard of the length of the pages. */
import { readFileSync } from 'node:fs';
import { withoutGenerated } from '../generated/markdown.ts';
import type { Guard } from './guard.ts';
import { PAGES } from './source.ts';

/** The words of a text: what stands between white space, with code and marks of tables. */
export const wordsOf = (text: string): readonly string[] => text.match(/\S+/g) ?? [];

export const WORD_GUARDS: readonly Guard[] = [
  {
    name: 'words of the pages',
    find: () => PAGES.flatMap((path) => wordsOf(withoutGenerated(readFileSync(path, 'utf8')))),
  },
];
