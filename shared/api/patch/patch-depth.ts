import { isDeeper } from './draft.ts';

/** Levels of objects and lists that a patch may have, and tokens that a pointer may have. */
export const MAX_PATCH_DEPTH = 1_000;

/** Whether `patch` has more levels than a patch may have; applying it would take a stack of its own depth. */
export const isTooDeep = (patch: unknown): boolean => isDeeper(patch, MAX_PATCH_DEPTH);
