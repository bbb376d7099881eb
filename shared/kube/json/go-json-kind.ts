/** The word for a value in the messages of Go's `encoding/json`, which never mention `null`. */
export const goJsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};
