/** Reads percentages as the kubelet does. Source: Go 1.24 `strconv.ParseFloat`; kubernetes v1.34 pkg/kubelet/eviction `parsePercentage`. */
import { quote } from '../../../../shared/kube/text/go-quote.ts';

interface Fault {
  readonly error: string;
}

const DECIMAL = /^[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.[\d_]*\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?$/;
const HEX = /^([+-]?)0[xX]([\da-fA-F_]*)(?:\.([\da-fA-F_]*))?[pP]([+-]?\d[\d_]*)$/;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
/** An underscore stands between two digits, or after the `0x`. */
const LOOSE_UNDERSCORE = /(?:^|[^\da-fA-FxX])_|_(?:[^\da-fA-F]|$)/;

const hexValue = (sign: string, whole: string, fraction: string, exponent: string): number | undefined => {
  if (whole + fraction === '') return undefined;
  const digits = Number.parseInt(`${whole}${fraction}`, 16);
  const value = digits * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
};

/** The number that the text is, before it is rounded; `undefined` if it is none. */
const floatOf = (text: string): number | undefined => {
  if (LOOSE_UNDERSCORE.test(text)) return undefined;
  const plain = text.replaceAll('_', '');
  if (DECIMAL.test(text)) return Number(plain);
  const [, sign = '', whole = '', fraction = '', exponent] = HEX.exec(plain) ?? [];
  return exponent === undefined ? undefined : hexValue(sign, whole, fraction, exponent);
};

const parseFloat32 = (text: string): number | Fault => {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const value = floatOf(text);
  const fault = (why: string): Fault => ({ error: `strconv.ParseFloat: parsing ${quote(text)}: ${why}` });
  if (value === undefined) return fault('invalid syntax');
  const rounded = Math.fround(value);
  return Number.isFinite(rounded) ? rounded : fault('value out of range');
};

export const isPercentage = (text: string): boolean => text.endsWith('%');

/** `12.5%` → 0.125 as a float32, or what is wrong with the text. */
export const parsePercentage = (text: string): number | Fault => {
  const value = parseFloat32(text.replace(/%+$/, ''));
  return typeof value === 'number' ? Math.fround(value / 100) : value;
};
