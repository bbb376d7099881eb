import type { Taint } from '../../api/core.ts';
import { printable } from '../../api/printable.ts';

/** A taint as kubectl writes it: `key=value:effect`, without the value if it has none. */
export const taintText = ({ key, value = '', effect }: Pick<Taint, 'key' | 'value' | 'effect'>): string =>
  printable(`${key}${value === '' ? '' : `=${value}`}:${effect}`);
