/** What Go's `encoding/json` calls a value in its messages; `null` never gets there. */
export const goJsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};
