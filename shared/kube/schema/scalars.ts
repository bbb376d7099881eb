/** Converts single values to canonical form. Source: apimachinery v1.34 `meta/v1`, `api/resource`, `util/intstr`. */
import { surveyValue } from '../json/json-members.ts';
import { quantityText } from '../values/quantity.ts';
import { parseQuantity } from '../values/quantity-parse.ts';
import type { Scalar, ScalarType } from './field-types.ts';
import { isPlainTime, timeFault, utcTime } from './go-time.ts';
import type { Place } from './go-types.ts';
import { DecodeError, mismatch, NumberText } from './go-types.ts';

const decodeTime = (value: string, precision: 'time' | 'microTime'): string => {
  if (isPlainTime(value, precision)) return value;
  const fault = timeFault(value, precision);
  if (fault) throw new DecodeError(fault);
  return utcTime(value, precision);
};

/** The longest quantity that is parsed, in characters: longer ones make no sense and take long to parse. */
const MOST_QUANTITY = 1_000;

const decodeQuantity = (value: unknown): string => {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).trim();
  const parsed = parseQuantity(text.length > MOST_QUANTITY ? '' : text);
  if ('error' in parsed) throw new DecodeError(parsed.error);
  return quantityText(parsed);
};

const LIMITS = { int32: 2n ** 31n, int64: 2n ** 63n } as const;

/** The integer; `undefined` if Go's parser refuses the digits or the number is out of range. */
const integerOf = (value: unknown, type: keyof typeof LIMITS): number | undefined => {
  const text = value instanceof NumberText ? value.text : value;
  if (typeof text === 'number' && !Number.isSafeInteger(text)) return undefined;
  if (typeof text !== 'number' && !(value instanceof NumberText && /^-?\d{1,19}$/.test(value.text)))
    return undefined;
  const integer = BigInt(text as number | string);
  return integer >= -LIMITS[type] && integer < LIMITS[type] ? Number(integer) : undefined;
};

const doubleOf = (value: unknown): number | undefined => {
  const number = value instanceof NumberText ? Number(value.text) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** The deepest nesting of a raw value, so that it can be serialized again. */
const MOST_RAW_DEPTH = 1_000;

const decodeRaw = (value: unknown): unknown => {
  if (surveyValue(value).depth > MOST_RAW_DEPTH) throw new DecodeError('json: exceeded max depth');
  return value;
};

const isText = (value: unknown): value is string => typeof value === 'string';

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

const base64Fault = (text: string): DecodeError => {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/);
  return new DecodeError(
    `illegal base64 data at input byte ${at < 0 ? text.length - (text.length % 4) : at}`,
  );
};

/** By parts: replacements of a million line ends take twenty times as long, and three times the memory. */
const withoutLineEnds = (text: string): string => text.split('\n').join('').split('\r').join('');

const decodeBytes = (value: string): string => {
  const text = withoutLineEnds(value);
  if (!isBase64(text)) throw base64Fault(value);
  return text;
};

/** Each converter returns the canonical value, or `undefined` for a value of another type. */
const SCALARS: Readonly<Record<Scalar, (value: unknown) => unknown>> = {
  string: (value) => (isText(value) ? value : undefined),
  bytes: (value) => (isText(value) ? decodeBytes(value) : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  int32: (value) => integerOf(value, 'int32'),
  int64: (value) => integerOf(value, 'int64'),
  double: doubleOf,
  time: (value) => (isText(value) ? decodeTime(value, 'time') : undefined),
  microTime: (value) => (isText(value) ? decodeTime(value, 'microTime') : undefined),
  quantity: (value) => decodeQuantity(value instanceof NumberText ? value.text : value),
  intOrString: (value) => (isText(value) ? value : integerOf(value, 'int32')),
  raw: decodeRaw,
};

/** Converts a value to its canonical form. Throws `DecodeError` for a value of another type. */
export const decodeScalar = (value: unknown, type: ScalarType, place: Place | undefined): unknown => {
  const decoded = SCALARS[type.type](value);
  if (decoded === undefined) throw mismatch(value, type, place);
  return decoded;
};
