/** Levels of objects and lists that a patch may have. */
export const MAX_PATCH_DEPTH = 1_000;

const inner = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

/** Whether `patch` has more levels than a patch may have; applying it would take a stack of its own depth. */
export const isTooDeep = (patch: unknown): boolean => {
  let level = inner(patch);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_PATCH_DEPTH) return true;
    level = level.flatMap(inner);
  }
  return false;
};
