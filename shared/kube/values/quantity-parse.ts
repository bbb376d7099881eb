/** Reads the text of a quantity. Source: apimachinery v1.34 `ParseQuantity`. */

export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/**
 * How Kubernetes keeps an amount, which decides how it rounds and overflows: as an int64 that is multiplied by a power of ten, or
 * as a decimal. The most that a binary quantity may be is a decimal without places.
 */
export type Kept =
  | { readonly as: 'int64'; readonly exponent: number }
  | { readonly as: 'decimal'; readonly places: 0 | 9 };

export interface Quantity {
  /** The amount in units of 10^-9. Smaller fractions are rounded away from zero when a text is read. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
  readonly kept: Kept;
  /** The text as it was given, where Kubernetes repeats it. */
  readonly text?: string;
}

/** The message of Kubernetes. */
interface Fault {
  readonly error: string;
}

/** Billionths in one. */
export const NANO = 1_000_000_000n;
export const MOST_INT64 = 2n ** 63n - 1n;

export const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** From 10^-9 to 10^18 in steps of 10^3. */
export const DECIMAL_SUFFIXES: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

const FORMAT: Fault = {
  error: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};
const NUMERIC: Fault = { error: 'unable to parse numeric part of quantity' };
const SUFFIX: Fault = { error: "unable to parse quantity's suffix" };

/** Each part begins with a character that the part before cannot contain, so that matching takes linear time. */
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/;

const EXPONENT = /^[eE]([+-]?\d{1,4})$/;
/** A body may have 100,000 quantities, and each takes as many steps as its exponent says. */
const MOST_EXPONENT = 1_000;

interface Unit {
  readonly base: 2n | 10n;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const unitOf = (suffix: string): Unit | undefined => {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) return { base: 10n, exponent: (decimal - 3) * 3, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { base: 2n, exponent: binary * 10, format: 'BinarySI' };
  const [, exponent] = EXPONENT.exec(suffix) ?? [];
  return exponent === undefined || Math.abs(Number(exponent)) > MOST_EXPONENT
    ? undefined
    : { base: 10n, exponent: Number(exponent), format: 'DecimalExponent' };
};

interface Digits {
  /** Without leading zeros; `0` if nothing is left. */
  readonly whole: string;
  readonly fraction: string;
}

/** The digits that fit into an int64 in any case. */
const INT64_DIGITS = 18;
const LEAST_EXPONENT = -9;

/** The power of ten that an int64 of all digits would be multiplied by. */
const int64Exponent = ({ fraction }: Digits, { base, exponent }: Unit): number =>
  (base === 10n ? exponent : 0) - fraction.length;

/** Whether the amount is kept as an int64: a cautious estimate by the number of its digits. */
const isInt64 = (digits: Digits, unit: Unit): boolean => {
  const { whole, fraction } = digits;
  if (unit.base === 2n)
    return fraction === '' && 15 - whole.length - Math.trunc((unit.exponent * 3) / 10) - 1 >= 0;
  return whole.length + fraction.length <= INT64_DIGITS && int64Exponent(digits, unit) >= LEAST_EXPONENT;
};

/** Whether the text is kept as it is. The check is a rough one: `00012` and `+1` are kept, too. */
const keepsText = (given: Digits, unit: Unit): boolean => {
  const digits = given.whole + given.fraction;
  if (unit.base === 2n) return BigInt(digits) % 8n !== 0n;
  return int64Exponent(given, unit) % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
};

/** The size in billionths, rounded up. */
const nanoOf = (given: Digits, unit: Unit): bigint => {
  const digits = BigInt(given.whole + given.fraction) * (unit.base === 2n ? 2n ** BigInt(unit.exponent) : 1n);
  const shift = int64Exponent(given, unit) + 9;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor - 1n) / divisor;
};

const CAP = MOST_INT64 * NANO;

const decimalOf = (sign: bigint, nano: bigint, format: QuantityFormat): Quantity => {
  if (format === 'BinarySI' && nano > CAP)
    return { nano: sign * CAP, format, kept: { as: 'decimal', places: 0 } };
  const isSmall = format === 'BinarySI' && nano > 0n && nano < NANO;
  const kept = { as: 'decimal', places: 9 } as const;
  return { nano: sign * nano, format: isSmall ? 'DecimalSI' : format, kept };
};

/** The quantity, or what is wrong with the text. */
export const parseQuantity = (text: string): Quantity | Fault => {
  const match = text === '' ? null : FORM.exec(text);
  if (!match) return FORMAT;
  const [, sign, given = '', fraction = '', suffix = ''] = match;
  const unit = unitOf(suffix);
  if (!unit) return SUFFIX;
  const digits = { whole: given.replace(/^0+/, '') || '0', fraction };
  const direction = sign === '-' ? -1n : 1n;
  const nano = nanoOf(digits, unit);
  if (!isInt64(digits, unit))
    return given + fraction === '' ? NUMERIC : decimalOf(direction, nano, unit.format);
  const kept = { as: 'int64', exponent: int64Exponent(digits, unit) } as const;
  return { nano: direction * nano, format: unit.format, kept, ...(keepsText(digits, unit) && { text }) };
};
