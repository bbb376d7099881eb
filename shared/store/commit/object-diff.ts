import { setMember } from '../../kube/json/own-member.ts';
import type { ObjectDiff } from '../../ports/store/change-log.ts';

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

/** Whether two JSON values are equal, regardless of member order. */
export const sameJson = equal;

interface Parts {
  readonly unset: string[];
  readonly set: Record<string, unknown>;
  readonly within: Record<string, ObjectDiff>;
}

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;

const noteMember = (parts: Parts, key: string, from: Fields, to: Fields): void => {
  if (!Object.hasOwn(to, key)) {
    parts.unset.push(key);
    return;
  }
  const [a, b] = [Object.hasOwn(from, key) ? from[key] : undefined, to[key]];
  if (a !== undefined && equal(a, b)) return;
  if (isFields(a) && isFields(b)) setMember(parts.within, key, diffObjects(a, b));
  else setMember(parts.set, key, b);
};

/** The diff that turns `from` into `to`. Lists are replaced as a whole; unlike in a merge patch, `null` is an ordinary value. */
export const diffObjects = (from: object, to: object): ObjectDiff => {
  const [a, b] = [from as Fields, to as Fields];
  const parts: Parts = { unset: [], set: {}, within: {} };
  for (const key of Object.keys(a)) noteMember(parts, key, a, b);
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) noteMember(parts, key, a, b);
  const { unset, set, within } = parts;
  return {
    ...(unset.length > 0 ? { unset } : {}),
    ...(isEmpty(set) ? {} : { set }),
    ...(isEmpty(within) ? {} : { within }),
  };
};

/** Applies a diff to the object it was made for. `__proto__` is treated as an ordinary member. */
export const applyDiff = <T extends object>(from: T, { set, unset = [], within = {} }: ObjectDiff): T => {
  const gone = new Set(unset);
  const members = Object.entries({ ...from, ...set }).filter(([key]) => !gone.has(key));
  const changed = members.map(([key, value]) => {
    const inner = Object.hasOwn(within, key) ? within[key] : undefined;
    return [key, inner ? applyDiff(value as object, inner) : value];
  });
  return Object.fromEntries(changed) as T;
};
