/** Whether text on the terminal may have colours. */
import type { LocalContext } from './command.ts';

/** Not if NO_COLOR is set to anything, or the terminal says that it has none. Source: no-color.org. */
export const hasColours = ({ env }: Pick<LocalContext, 'env'>): boolean =>
  !env['NO_COLOR'] && env['TERM'] !== 'dumb';
