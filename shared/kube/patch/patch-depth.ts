import { isDeeper } from './draft.ts';

/** The deepest nesting that a patch may have, and the most tokens that a pointer may have. */
export const MAX_PATCH_DEPTH = 1_000;

/** Whether `patch` is nested too deeply. Applying a patch recurses once per level. */
export const isTooDeep = (patch: unknown): boolean => isDeeper(patch, MAX_PATCH_DEPTH);
