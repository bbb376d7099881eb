import { printable } from '../../kube/text/printable.ts';
import type { Taint } from '../../kube/types/core.ts';

/** A taint as kubectl writes it: `key=value:effect`, without the value if it has none. */
export const taintText = ({ key, value = '', effect }: Pick<Taint, 'key' | 'value' | 'effect'>): string =>
  printable(`${key}${value === '' ? '' : `=${value}`}:${effect}`);
