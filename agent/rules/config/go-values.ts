/** Values of options as Go reads them. Source: Go `strconv.ParseBool`, `strconv.Atoi`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';

export interface ValueFault {
  readonly error: string;
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export const parseGoBool = (text: string): boolean | ValueFault => {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  return { error: `strconv.ParseBool: parsing ${quote(text)}: invalid syntax` };
};

/** A decimal number that an int64 holds; beyond 2^53 it is rounded. */
export const parseGoInt = (text: string): number | ValueFault => {
  const fault = (what: string): ValueFault => ({ error: `strconv.Atoi: parsing ${quote(text)}: ${what}` });
  if (!/^[+-]?\d+$/.test(text)) return fault('invalid syntax');
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? Number(value) : fault('value out of range');
};
