/** Formats a JSON value like Go's `%v`: `map[a:1 b:[x y]]`, keys sorted, strings without quotes. */
export const printGoValue = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(' ')}]`;
  if (typeof value !== 'object') return `${value as string | number | boolean}`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([name, inner]) => `${name}:${printGoValue(inner)}`).join(' ')}]`;
};
