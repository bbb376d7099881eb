/** A quantity as go-spew prints it: with the fields that Go's parser has filled. Source: apimachinery v1.34 `api/resource` `ParseQuantity`. */

type Format = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
/** Digits that surely fit in 64 bits. */
const MOST_DIGITS = 18;
const NANO_SCALE = 9;
const MOST = 2n ** 63n - 1n;
const WORD = 2n ** 64n;

interface Suffix {
  readonly format: Format;
  /** Power of 10, or of 2 with `BinarySI`. */
  readonly exponent: number;
}

interface Parts extends Suffix {
  readonly text: string;
  readonly isNegative: boolean;
  /** Digits before the point, without zeros at the front. */
  readonly whole: string;
  readonly fraction: string;
}

/** What `ParseQuantity` has found: a number of 64 bits, or a decimal of any size. */
interface Amount {
  readonly number?: { readonly value: bigint; readonly scale: number };
  readonly decimal?: { readonly unscaled: bigint; readonly scale: number };
  /** The text, if it can be used again. */
  readonly text: string;
  readonly format: Format;
}

const suffixOf = (suffix: string): Suffix => {
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { format: 'BinarySI', exponent: binary * 10 };
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return { format: 'DecimalSI', exponent: (decimal - 3) * 3 };
  return { format: 'DecimalExponent', exponent: Number(suffix.slice(1)) };
};

const partsOf = (text: string): Parts => {
  const [, sign = '', digits = '', fraction = '', suffix = ''] =
    /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? [];
  const whole = digits.replace(/^0+/, '') || '0';
  return { text, isNegative: sign === '-', whole, fraction, ...suffixOf(suffix) };
};

/** Whether the amount is handled as a number of 64 bits. */
const isShort = ({ format, exponent, whole, fraction }: Parts): boolean => {
  if (format !== 'BinarySI')
    return whole.length + fraction.length <= MOST_DIGITS && exponent - fraction.length >= -NANO_SCALE;
  return fraction === '' && 14 - whole.length - Math.trunc((exponent * 3) / 10) >= 0;
};

const isReusable = ({ format, exponent, whole, fraction }: Parts): boolean => {
  const digits = whole + fraction;
  if (format === 'BinarySI') return BigInt(digits) % 8n !== 0n;
  return (exponent - fraction.length) % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
};

const shortAmount = (parts: Parts): Amount => {
  const { format, exponent, whole, fraction, isNegative, text } = parts;
  const isBinary = format === 'BinarySI';
  const size = BigInt(whole + fraction) * (isBinary ? 2n ** BigInt(exponent) : 1n);
  return {
    number: { value: isNegative ? -size : size, scale: isBinary ? 0 : exponent - fraction.length },
    text: isReusable(parts) ? text : '',
    format,
  };
};

const divideUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/** A decimal is rounded up to billionths, and a binary one has an upper limit. */
const longAmount = ({ format, exponent, whole, fraction, isNegative }: Parts): Amount => {
  const isBinary = format === 'BinarySI';
  const digits = BigInt(whole + fraction) * (isBinary ? 2n ** BigInt(exponent) : 1n);
  const shift = NANO_SCALE - fraction.length + (isBinary ? 0 : exponent);
  const nano = shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
  const one = 10n ** BigInt(NANO_SCALE);
  const isCapped = isBinary && nano > MOST * one;
  const unscaled = isCapped ? MOST : nano;
  return {
    decimal: { unscaled: isNegative ? -unscaled : unscaled, scale: isCapped ? 0 : NANO_SCALE },
    text: '',
    format: isBinary && nano > 0n && nano < one ? 'DecimalSI' : format,
  };
};

/** Source: Go's math/big: 64-bit words, the lowest first. */
const wordsOf = (size: bigint): readonly bigint[] => {
  const words: bigint[] = [];
  for (let left = size; left > 0n; left /= WORD) words.push(left % WORD);
  return words;
};

const decimalText = ({ decimal }: Amount): string => {
  if (!decimal) return '<nil>';
  const { unscaled, scale } = decimal;
  const words = wordsOf(unscaled < 0n ? -unscaled : unscaled).join(' ');
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)[${words}]} scale:(inf.Scale)${scale}}`;
};

const amountText = (amount: Amount): string => {
  const { value, scale } = amount.number ?? { value: 0n, scale: 0 };
  const number = `i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  const decimal = `d:(resource.infDecAmount){Dec:(*inf.Dec)${decimalText(amount)}}`;
  return `{${number} ${decimal} s:(string)${amount.text} Format:(resource.Format)${amount.format}}`;
};

const parse = (text: string): Amount => {
  if (text === '0') return { text, format: 'DecimalSI' };
  const parts = partsOf(text);
  return isShort(parts) ? shortAmount(parts) : longAmount(parts);
};

const parsed = (value: unknown): Amount =>
  parse(typeof value === 'string' || typeof value === 'number' ? `${value}` : '0');

/** The text of a valid quantity; an absent one is stored as 0. */
export const quantityText = (value: unknown): string => amountText(parsed(value));

/** The amount alone, in billionths: equal for all ways to write it. */
export const amountOf = (value: unknown): string => {
  const { number, decimal } = parsed(value);
  if (decimal) return String(decimal.unscaled * 10n ** BigInt(NANO_SCALE - decimal.scale));
  return number ? String(number.value * 10n ** BigInt(NANO_SCALE + number.scale)) : '0';
};
