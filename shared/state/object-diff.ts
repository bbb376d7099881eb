import type { ObjectDiff } from '../ports/object-log.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const equal = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isFields(a) || !isFields(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
};

/** Whether two JSON values are the same, whatever the order of their members. */
export const sameJson = equal;

const withMember = (diff: ObjectDiff, key: string, from: Fields, to: Fields): ObjectDiff => {
  if (!Object.hasOwn(to, key)) return { ...diff, unset: [...(diff.unset ?? []), key] };
  const [a, b] = [from[key], to[key]];
  if (Object.hasOwn(from, key) && equal(a, b)) return diff;
  if (isFields(a) && isFields(b)) return { ...diff, within: { ...diff.within, [key]: diffObjects(a, b) } };
  return { ...diff, set: { ...diff.set, [key]: b } };
};

/** What turns `from` into `to`. Lists are values; unlike in a merge patch, `null` is an ordinary value. */
export const diffObjects = (from: object, to: object): ObjectDiff => {
  const [a, b] = [from as Fields, to as Fields];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].reduce<ObjectDiff>((diff, key) => withMember(diff, key, a, b), {});
};

/** Applies a diff to the object it was made for. */
export const applyDiff = <T extends object>(from: T, diff: ObjectDiff): T => {
  const result: Record<string, unknown> = { ...from, ...diff.set };
  for (const key of diff.unset ?? []) delete result[key];
  for (const [key, inner] of Object.entries(diff.within ?? {}))
    result[key] = applyDiff(result[key] as object, inner);
  return result as T;
};
