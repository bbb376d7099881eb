import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';

const mergedMembers = (target: JsonObject, patch: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, applyMergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
};

/**
 * Applies a JSON merge patch: objects merge member by member, `null` removes, any other value replaces. Source: RFC
 * 7386.
 */
export const applyMergePatch = (target: unknown, patch: unknown): unknown =>
  isObject(patch) ? mergedMembers(isObject(target) ? target : {}, patch) : patch;
