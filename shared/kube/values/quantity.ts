/** Resource quantities, as Kubernetes reads, writes and compares them. Source: apimachinery v1.34 `api/resource`. */
import {
  BINARY_SUFFIXES,
  DECIMAL_SUFFIXES,
  type Kept,
  MOST_INT64,
  NANO,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
} from './quantity-parse.ts';

/** Billionths in a thousandth. */
const MILLI = 1_000_000n;

/** A quantity of whole units. */
export const quantityOf = (value: bigint | number, format: QuantityFormat): Quantity => ({
  nano: BigInt(value) * NANO,
  format,
  kept: { as: 'int64', exponent: 0 },
});

/** A quantity of thousandths. */
export const milliQuantityOf = (value: bigint | number, format: QuantityFormat): Quantity => ({
  nano: BigInt(value) * MILLI,
  format,
  kept: { as: 'int64', exponent: -3 },
});

/** Powers of 1,000, largest first: an amount of a thousand digits is divided a few times, not hundreds of times. */
const POWERS = [64, 8, 1].map((steps) => [1000n ** BigInt(steps), steps] as const);

const decimalText = (nano: bigint, format: QuantityFormat): string => {
  let [value, step] = [nano, 0];
  for (const [power, steps] of POWERS)
    while (value % power === 0n) [value, step] = [value / power, step + steps];
  const exponent = (step - 3) * 3;
  if (exponent === 0) return `${value}`;
  return `${value}${(format === 'DecimalSI' ? DECIMAL_SUFFIXES[step] : undefined) ?? `e${exponent}`}`;
};

const binaryText = (nano: bigint): string => {
  let [value, step] = [nano / NANO, 0];
  while (step < BINARY_SUFFIXES.length - 1 && value % 1024n === 0n) [value, step] = [value / 1024n, step + 1];
  return `${value}${BINARY_SUFFIXES[step] ?? ''}`;
};

const isWhole = (nano: bigint): boolean => nano % NANO === 0n;

/** The canonical form. A binary quantity that is small or has a fraction is written in the decimal form. */
export const quantityText = ({ nano, format, text }: Quantity): string => {
  if (text !== undefined) return text;
  if (nano === 0n) return '0';
  const size = nano < 0n ? -nano : nano;
  if (format === 'BinarySI' && size >= 1024n * NANO && isWhole(nano)) return binaryText(nano);
  return decimalText(nano, format === 'BinarySI' ? 'DecimalSI' : format);
};

/** For these powers of ten Kubernetes keeps the lowest 64 bits of a product that is too large; for others it takes 0. */
const WRAPPED_POWERS: readonly number[] = [1, 2, 3, 6, 9];

/** Away from zero. `power`: the power of ten by which the int64 is multiplied, if it is. */
const scaledInt64 = (nano: bigint, unit: bigint, power: number): bigint => {
  const rest = nano % unit === 0n ? 0n : 1n;
  const rounded = nano / unit + (nano < 0n ? -rest : rest);
  const wrapped = BigInt.asIntN(64, rounded);
  return wrapped === rounded || WRAPPED_POWERS.includes(power) ? wrapped : 0n;
};

/** As Kubernetes 1.34 cuts a decimal to an int64: what is small enough by its lowest 64 bits, and towards +∞ otherwise. */
const scaledDecimal = (nano: bigint, unit: bigint): bigint => {
  const amount = nano < MOST_INT64 ? BigInt.asIntN(64, nano) : nano;
  return BigInt.asIntN(64, amount / unit + (amount % unit === 0n ? 0n : 1n));
};

/** `exponent`: that of the unit. */
const scaled = ({ nano, kept }: Quantity, unit: bigint, exponent: number): bigint => {
  if (kept.as === 'int64') return scaledInt64(nano, unit, kept.exponent - exponent);
  return kept.places === 0 ? BigInt.asIntN(64, nano / unit) : scaledDecimal(nano, unit);
};

/** The amount in whole units, rounded, as an int64 that may overflow. Source: apimachinery v1.34 `Quantity.Value`. */
export const wholeUnits = (quantity: Quantity): bigint => scaled(quantity, NANO, 0);

/** The amount in thousandths, rounded, as an int64 that may overflow. Source: apimachinery v1.34 `Quantity.MilliValue`. */
export const milliUnits = (quantity: Quantity): bigint => scaled(quantity, MILLI, -3);

const keptTogether = (left: Kept, right: Kept): Kept =>
  left.as === 'int64' && right.as === 'int64'
    ? { as: 'int64', exponent: Math.min(left.exponent, right.exponent) }
    : { as: 'decimal', places: 9 };

const combined = (left: Quantity, right: Quantity, nano: bigint): Quantity => ({
  nano,
  format: left.nano === 0n ? right.format : left.format,
  kept: keptTogether(left.kept, right.kept),
});

/** The sum has the format of the left quantity, unless that is zero. */
export const addQuantities = (left: Quantity, right: Quantity): Quantity =>
  combined(left, right, left.nano + right.nano);

/** The difference has the format of the left quantity, unless that is zero. */
export const subtractQuantities = (left: Quantity, right: Quantity): Quantity =>
  combined(left, right, left.nano - right.nano);

const readQuantity = (text: string): Quantity | undefined => {
  const parsed = parseQuantity(text);
  return 'error' in parsed ? undefined : parsed;
};

/** Compares two valid quantities: negative if `a` is less than `b`, 0 if they are the same amount. */
export const compareQuantities = (a: string, b: string): number => {
  if (a === b) return 0;
  const [left = 0n, right = 0n] = [readQuantity(a)?.nano, readQuantity(b)?.nano];
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** A short whole number, as most quantities are. It is canonical unless it ends with `000`. */
const CANONICAL = /^(?:0|[1-9]\d{0,14})$/;

/** The canonical form: `2048Ki` → `2Mi`, `0.25` → `250m`, `1e2` → `100`; `undefined` for an invalid quantity. */
export const canonicalQuantity = (text: string): string | undefined => {
  if (CANONICAL.test(text) && !text.endsWith('000')) return text;
  const parsed = readQuantity(text);
  return parsed && quantityText(parsed);
};

/** The amount of a valid quantity, rounded up to thousandths; the same text if it is a multiple of them. */
export const roundedToMilli = (text: string): string => {
  const parsed = readQuantity(text);
  if (!parsed || parsed.nano % MILLI === 0n) return text;
  const { format, kept, nano } = parsed;
  return quantityText({ format, kept, nano: (nano / MILLI + (nano < 0n ? -1n : 1n)) * MILLI });
};

const ceilDivide = (nano: bigint, unit: bigint): number => {
  const whole = nano / unit;
  return Number(whole * unit < nano ? whole + 1n : whole);
};

/** The amount in whole units, rounded up, without an int64's overflow; 0 for an invalid quantity. */
export const quantityValue = (text: string): number => ceilDivide(readQuantity(text)?.nano ?? 0n, NANO);

/** The amount in thousandths, rounded up, without an int64's overflow; 0 for an invalid quantity. */
export const quantityMilliValue = (text: string): number => ceilDivide(readQuantity(text)?.nano ?? 0n, MILLI);
