/** Sets of CPUs as text, such as `0-3,7`. Source: k8s.io/utils/cpuset. */
import { quote } from '../../../shared/api/go-quote.ts';

interface Fault {
  readonly error: string;
}

const parseNumber = (text: string): number | Fault => {
  if (!/^[+-]?\d+$/.test(text)) return { error: `strconv.Atoi: parsing ${quote(text)}: invalid syntax` };
  const number = Number(text);
  return Number.isSafeInteger(number)
    ? number
    : { error: `strconv.Atoi: parsing ${quote(text)}: value out of range` };
};

const parseRange = (text: string): readonly [number, number] | Fault => {
  const at = text.indexOf('-');
  const first = parseNumber(at < 0 ? text : text.slice(0, at));
  const last = at < 0 ? first : parseNumber(text.slice(at + 1));
  if (typeof first === 'object') return first;
  if (typeof last === 'object') return last;
  return first > last ? { error: `invalid range ${quote(text)} (${first} > ${last})` } : [first, last];
};

/** The most CPUs that a set may name, so that a wrong range is not built. */
const MOST_CPUS = 1_000_000;

/** The numbers of the CPUs, sorted; or what is wrong with the text. */
export const parseCpuSet = (text: string): readonly number[] | Fault => {
  const cpus = new Set<number>();
  for (const part of text === '' ? [] : text.split(',')) {
    const range = parseRange(part);
    if ('error' in range) return range;
    const [first, last] = range;
    if (last - first >= MOST_CPUS)
      return { error: `invalid range ${quote(part)} (more than ${MOST_CPUS} CPUs)` };
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
};
