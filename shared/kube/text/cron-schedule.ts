/** Checks the schedules of CronJobs. Source: the standard parser of robfig/cron v3, which Kubernetes uses. */
import { parseGoDuration } from './go-duration.ts';

const DESCRIPTORS: readonly string[] = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');

interface Field {
  readonly least: number;
  readonly most: number;
  /** Names for the numbers, such as `jan`. The first name stands for `least`. */
  readonly words: readonly string[];
}

/** The five fields of a schedule: minute, hour, day of the month, month, day of the week. */
const FIELDS: readonly Field[] = [
  { least: 0, most: 59, words: [] },
  { least: 0, most: 23, words: [] },
  { least: 1, most: 31, words: [] },
  { least: 1, most: 12, words: MONTHS },
  { least: 0, most: 6, words: DAYS },
];

const numberOf = (text: string, { words, least }: Field): number | string => {
  const word = words.indexOf(text.toLowerCase());
  if (word >= 0) return word + least;
  if (/^\+?\d+$/.test(text)) return Number(text);
  return /^-\d+$/.test(text)
    ? `negative number (${text}) not allowed: ${text}`
    : `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
};

const boundsFault = (
  [start, end]: readonly [number, number],
  { least, most }: Field,
  text: string,
): string | undefined => {
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${text}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${text}`;
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${text}` : undefined;
};

interface Range {
  readonly low: string;
  readonly high?: string | undefined;
  readonly step?: string | undefined;
}

const isAll = ({ low }: Range): boolean => low === '*' || low === '?';

/** The first and the last number of a range, or the error message for its text. */
const endsOf = (range: Range, field: Field): readonly [number, number] | string => {
  if (isAll(range)) return [field.least, field.most];
  const start = numberOf(range.low, field);
  if (typeof start === 'string') return start;
  if (range.high === undefined) return [start, range.step === undefined ? start : field.most];
  const end = numberOf(range.high, field);
  return typeof end === 'string' ? end : [start, end];
};

const stepFault = (step: string | undefined, text: string): string | undefined => {
  if (step === undefined) return undefined;
  const every = numberOf(step, { least: 0, most: 0, words: [] });
  if (typeof every === 'string') return every;
  return every === 0 ? `step of range should be a positive number: ${text}` : undefined;
};

// Reads `5`, `1-5`, `*/15` or `2-10/2`.
const rangeFault = (text: string, field: Field): string | undefined => {
  const [bounds = '', step, ...more] = text.split('/');
  const [low = '', high, ...rest] = bounds.split('-');
  const range = { low, high, step };
  if (more.length > 0) return `too many slashes: ${text}`;
  if (!isAll(range) && rest.length > 0) return `too many hyphens: ${text}`;
  const ends = endsOf(range, field);
  if (typeof ends === 'string') return ends;
  return boundsFault(ends, field, text) ?? stepFault(step, text);
};

const descriptorFault = (schedule: string): string | undefined => {
  if (DESCRIPTORS.includes(schedule)) return undefined;
  if (!schedule.startsWith('@every ')) return `unrecognized descriptor: ${schedule}`;
  const parsed = parseGoDuration(schedule.slice('@every '.length));
  return typeof parsed === 'object' ? `failed to parse duration ${schedule}: ${parsed.error}` : undefined;
};

/** The parser's error message for a schedule such as `0 4 * * *` or `@hourly`; `undefined` for a valid schedule. */
export const scheduleFault = (given: string): string | undefined => {
  const schedule = given.replace(/^(?:CRON_)?TZ=\S+\s*/, '').trim();
  if (schedule.startsWith('@')) return descriptorFault(schedule);
  const fields = schedule.split(/\s+/);
  if (fields.length !== FIELDS.length)
    return `expected exactly 5 fields, found ${schedule === '' ? 0 : fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of FIELDS.entries())
    for (const range of (fields[index] ?? '').split(',').filter((one) => one !== '')) {
      const fault = rangeFault(range, field);
      if (fault !== undefined) return fault;
    }
  return undefined;
};
