/** Resource quantities in their canonical form. Source: apimachinery v1.34 `api/resource`. */

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
/** Quantities are counted in units of 10^-9. Smaller fractions are rounded up. */
const NANO = 1_000_000_000n;

interface Parsed {
  readonly nano: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
}

const scaled = (digits: string, fraction: string, power: number): bigint => {
  const all = BigInt(`${digits}${fraction}` || '0');
  const shift = power + 9 - fraction.length;
  if (shift >= 0) return all * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (all + divisor - 1n) / divisor;
};

const parseUnsigned = (digits: string, fraction: string, suffix: string): Parsed | undefined => {
  const binary = (BINARY as readonly string[]).indexOf(suffix);
  if (binary > 0) return { nano: scaled(digits, fraction, 0) * 1024n ** BigInt(binary), format: 'binary' };
  const decimal = (DECIMAL as readonly string[]).indexOf(suffix);
  if (decimal >= 0) return { nano: scaled(digits, fraction, (decimal - 3) * 3), format: 'decimal' };
  const exponent = /^[eE]([+-]?\d{1,2})$/.exec(suffix);
  return exponent ? { nano: scaled(digits, fraction, Number(exponent[1])), format: 'exponent' } : undefined;
};

const decimalText = (nano: bigint, format: 'decimal' | 'exponent'): string => {
  let [value, step] = [nano, 0];
  while (step < DECIMAL.length - 1 && value !== 0n && value % 1000n === 0n)
    [value, step] = [value / 1000n, step + 1];
  if (value === 0n) return '0';
  const power = (step - 3) * 3;
  if (format === 'exponent') return power === 0 ? `${value}` : `${value}e${power}`;
  return `${value}${DECIMAL[step] ?? ''}`;
};

const binaryText = (nano: bigint): string => {
  let [value, step] = [nano / NANO, 0];
  while (step < BINARY.length - 1 && value % 1024n === 0n) [value, step] = [value / 1024n, step + 1];
  return `${value}${BINARY[step] ?? ''}`;
};

interface Signed extends Parsed {
  readonly isNegative: boolean;
}

/** Each part begins with a character that the part before cannot contain, so that matching takes linear time. */
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?((?:[A-Za-z]+[+-]?\d*)?)$/;

const parse = (text: string): Signed | undefined => {
  const match = FORM.exec(text);
  const [, sign = '', digits = '', fraction = '', suffix = ''] = match ?? [];
  if (!match || digits + fraction === '') return undefined;
  const parsed = parseUnsigned(digits, fraction, suffix);
  return parsed && { ...parsed, isNegative: sign === '-' && parsed.nano !== 0n };
};

const signedNano = (text: string): bigint => {
  const { nano, isNegative } = parse(text) ?? { nano: 0n, isNegative: false };
  return isNegative ? -nano : nano;
};

/** Compares two valid quantities: negative if `a` is less than `b`, 0 if they are the same amount. */
export const compareQuantities = (a: string, b: string): number => {
  if (a === b) return 0;
  const [left, right] = [signedNano(a), signedNano(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** A short whole number, as most quantities are. It is canonical unless it ends with `000`. */
const CANONICAL = /^(?:0|[1-9]\d{0,14})$/;

const textOf = ({ nano, format, isNegative }: Signed): string => {
  const asBinary = format === 'binary' && nano % NANO === 0n && nano >= 1024n * NANO;
  const magnitude = asBinary
    ? binaryText(nano)
    : decimalText(nano, format === 'exponent' ? format : 'decimal');
  return isNegative ? `-${magnitude}` : magnitude;
};

/** The canonical form: `2048Ki` → `2Mi`, `0.25` → `250m`, `1e2` → `100`; `undefined` for an invalid quantity. */
export const canonicalQuantity = (text: string): string | undefined => {
  if (CANONICAL.test(text) && !text.endsWith('000')) return text;
  const parsed = parse(text);
  return parsed && textOf(parsed);
};

/** Billionths in a thousandth. */
const MILLI = NANO / 1000n;

/** The amount of a valid quantity, rounded up to thousandths; the same text if it is a multiple of them. */
export const roundedToMilli = (text: string): string => {
  const parsed = parse(text);
  if (!parsed || parsed.nano % MILLI === 0n) return text;
  return textOf({ ...parsed, nano: (parsed.nano / MILLI + 1n) * MILLI });
};

const ceilDivide = (nano: bigint, unit: bigint): number => {
  const whole = nano / unit;
  return Number(whole * unit < nano ? whole + 1n : whole);
};

/** The amount in whole units, rounded up; 0 for an invalid quantity. Source: apimachinery v1.34 `Quantity.Value`. */
export const quantityValue = (text: string): number => ceilDivide(signedNano(text), NANO);

/** The amount in thousandths, rounded up; 0 for an invalid quantity. Source: apimachinery v1.34 `Quantity.MilliValue`. */
export const quantityMilliValue = (text: string): number => ceilDivide(signedNano(text), NANO / 1000n);
