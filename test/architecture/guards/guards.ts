import { CLOSURE_GUARDS } from './closures.ts';
import { COPY_GUARDS } from './copies.ts';
import { FOLDER_GUARDS } from './folders.ts';
import type { Guard } from './guard.ts';
import { MEMBER_GUARDS } from './members.ts';
import { MERGE_GUARDS } from './merge-candidates.ts';
import { UNUSED_GUARDS } from './unused.ts';
import { WORD_GUARDS } from './words.ts';

/** All guards, in the order in which they are printed. */
export const GUARDS: readonly Guard[] = [
  ...FOLDER_GUARDS,
  ...MERGE_GUARDS,
  ...UNUSED_GUARDS,
  ...MEMBER_GUARDS,
  ...COPY_GUARDS,
  ...CLOSURE_GUARDS,
  ...WORD_GUARDS,
];
