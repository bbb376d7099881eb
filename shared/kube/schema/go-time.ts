/** Parses RFC 3339 as Go's `time.Parse` does, with its error messages. Source: Go `time/format.go`. */
import { parseTime, toTime } from '../values/time.ts';

const DATE_PARTS: readonly (readonly [layout: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^(0[1-9]|1[0-2])/],
  ['-', /^-/],
  ['02', /^(0[1-9]|[12]\d|3[01])/],
  ['T', /^T/],
  ['15', /^([01]\d|2[0-3])/],
  [':', /^:/],
  ['04', /^[0-5]\d/],
  [':', /^:/],
  ['05', /^[0-5]\d/],
];
const ZONE = ['Z07:00', /^(Z|[+-]\d\d:\d\d)$/] as const;
const MICROS = ['.000000', /^\.\d{6}/] as const;

/** `time` has whole seconds (a fraction is dropped), `microTime` exactly six decimals. */
export type TimePrecision = 'time' | 'microTime';

const layoutOf = (precision: TimePrecision): string =>
  `2006-01-02T15:04:05${precision === 'microTime' ? MICROS[0] : ''}Z07:00`;

const partsOf = (precision: TimePrecision) =>
  precision === 'microTime'
    ? [...DATE_PARTS, MICROS, ZONE]
    : [...DATE_PARTS, ['', /^(\.\d+)?/] as const, ZONE];

const PLAIN_SECONDS = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const PLAIN_ENDS: Readonly<Record<TimePrecision, RegExp>> = { time: /^Z$/, microTime: /^\.\d{6}Z$/ };
const SECONDS_LENGTH = '2006-01-02T15:04:05'.length;

/** Whether a time is as Kubernetes writes it, on a day that every month has: it is valid, and `utcTime` would not change it. */
export const isPlainTime = (value: string, precision: TimePrecision): boolean =>
  PLAIN_SECONDS.test(value.slice(0, SECONDS_LENGTH)) &&
  PLAIN_ENDS[precision].test(value.slice(SECONDS_LENGTH));

/** Go's error message for `value`, or `undefined` if it is a valid time. */
export const timeFault = (value: string, precision: TimePrecision): string | undefined => {
  let rest = value;
  for (const [layout, pattern] of partsOf(precision)) {
    const found = pattern.exec(rest);
    if (!found)
      return `parsing time ${JSON.stringify(value)} as "${layoutOf(precision)}": cannot parse ${JSON.stringify(rest)} as "${layout}"`;
    rest = rest.slice(found[0].length);
  }
  return undefined;
};

/** Converts a valid time to UTC, with whole seconds or six decimals. */
export const utcTime = (value: string, precision: TimePrecision): string => {
  const whole = toTime(parseTime(value) ?? 0);
  const fraction = precision === 'microTime' ? (/\.\d{6}/.exec(value)?.[0] ?? '') : '';
  return `${whole.slice(0, -1)}${fraction}Z`;
};
