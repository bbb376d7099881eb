/** Which printer a resource has. */
import { otherPrinter } from './other.ts';
import type { Printer } from './printer.ts';

/** Keys are `resource.group`, `resource` in the core group. */
const PRINTERS: ReadonlyMap<string, Printer> = new Map();

/** The printer of a resource; that of all kinds where it has none of its own. */
export const printerOf = ({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): Printer => PRINTERS.get(group === '' ? resource : `${resource}.${group}`) ?? otherPrinter;
