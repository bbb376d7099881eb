/** Durations of Go, exact to the nanosecond. Source: Go 1.24 `time.ParseDuration`, `Duration.String`. */

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** As the package `time` quotes, which does not trust the text to be UTF-8. */
const quote = (text: string): string => {
  const escaped = [...new TextEncoder().encode(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === '\\' ? `\\${character}` : character;
  });
  return `"${escaped.join('')}"`;
};

const STEP = /(?:(\d+)(?:\.(\d*))?|\.(\d+))([^\d.]*)/y;

/** The most that the size of a duration may be: that of the least int64. */
const MOST = 2n ** 63n;
/** Digits of a part that are read. */
const MOST_DIGITS = 1_000;

interface Fault {
  /** Go's message. */
  readonly error: string;
}

const invalid = (text: string): Fault => ({ error: `time: invalid duration ${quote(text)}` });

/** Zeros in front count, too: a number of so many digits takes long to read. */
const isTooLong = (whole: string): boolean => whole.length > MOST_DIGITS || BigInt(whole) > MOST;

/** The digits of a fraction that Go reads; it takes the further ones for zeros. */
const fractionOf = (digits: string, unit: bigint): bigint => {
  let [value, scale] = [0n, 1];
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next > MOST) break;
    [value, scale] = [next, scale * 10];
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
};

/** Nanoseconds of one part, such as `1.5h`; or what is wrong with it. */
const partOf = (match: RegExpExecArray, text: string): bigint | Fault => {
  const [, whole = '0', fraction, onlyFraction, unit = ''] = match;
  if (isTooLong(whole)) return invalid(text);
  if (unit === '') return { error: `time: missing unit in duration ${quote(text)}` };
  const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  if (size === undefined) return { error: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` };
  if (BigInt(whole) > MOST / size) return invalid(text);
  const amount = BigInt(whole) * size + fractionOf(fraction ?? onlyFraction ?? '', size);
  return amount > MOST ? invalid(text) : amount;
};

const sumOf = (amount: string, text: string): bigint | Fault => {
  let sum = 0n;
  for (STEP.lastIndex = 0; STEP.lastIndex < amount.length; ) {
    const match = STEP.exec(amount);
    const part = match ? partOf(match, text) : invalid(text);
    if (typeof part !== 'bigint') return part;
    sum += part;
    if (sum > MOST) return invalid(text);
  }
  return sum;
};

/** Reads `1h15m30.918s`: nanoseconds, or what is wrong with the text. */
export const parseGoDuration = (text: string): bigint | Fault => {
  const amount = text.replace(/^[+-]/, '');
  if (amount === '0') return 0n;
  const sum = amount === '' ? undefined : sumOf(amount, text);
  if (typeof sum === 'object') return sum;
  const isNegative = text.startsWith('-');
  if (sum === undefined || (!isNegative && sum === MOST)) return invalid(text);
  return isNegative ? -sum : sum;
};

/** With the fraction that is needed. */
const decimal = (value: bigint, unit: bigint): string => {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return unit === 1n || fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
};

const SECOND = 1_000_000_000n;

const sizeText = (size: bigint): string => {
  if (size < 1_000n) return `${size}ns`;
  if (size < 1_000_000n) return `${decimal(size, 1_000n)}µs`;
  if (size < SECOND) return `${decimal(size, 1_000_000n)}ms`;
  const minutes = size / (60n * SECOND);
  const seconds = `${decimal(size % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
};

/** Writes nanoseconds as Go does: `1h0m0.5s`, `100ms`, `0s`. */
export const goDurationText = (nanoseconds: bigint): string => {
  if (nanoseconds === 0n) return '0s';
  return nanoseconds < 0n ? `-${sizeText(-nanoseconds)}` : sizeText(nanoseconds);
};
