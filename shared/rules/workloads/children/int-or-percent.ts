/** Numbers that may be percentages of a whole. Source: apimachinery v1.34 `util/intstr`. */

/** Which way a part of one is rounded. */
export type Rounding = 'up' | 'down';

/** The number that a field such as `25%` or `3` means of `total`; 0 if it is neither. */
export const scaledValue = (value: unknown, total: number, rounding: Rounding): number => {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return 0;
  const part = (Number(percent) * total) / 100;
  return rounding === 'up' ? Math.ceil(part) : Math.floor(part);
};
