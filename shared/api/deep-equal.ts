const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sameLists = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((element, index) => deepEqual(element, b[index]));

const sameRecords = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean => {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => deepEqual(a[name], b[name]));
};

/** Whether two JSON values are equal. The order of members does not matter; an absent member equals `undefined`. */
export const deepEqual = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return sameLists(a, b);
  return isRecord(a) && isRecord(b) ? sameRecords(a, b) : a === b;
};
