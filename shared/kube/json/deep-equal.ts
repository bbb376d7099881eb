const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sameLists = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((element, index) => deepEqual(element, b[index]));

const sameRecords = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean => {
  const names = Object.keys(a);
  const others = Object.keys(b);
  const isKnown = (name: string): boolean => Object.hasOwn(b, name);
  if (!names.every((name) => deepEqual(a[name], isKnown(name) ? b[name] : undefined))) return false;
  if (names.length === others.length && names.every(isKnown)) return true;
  return others.every((name) => Object.hasOwn(a, name) || b[name] === undefined);
};

/** Whether two JSON values are equal. The order of members does not matter; an absent member equals `undefined`. */
export const deepEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return sameLists(a, b);
  return isRecord(a) && isRecord(b) && sameRecords(a, b);
};
