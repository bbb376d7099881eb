/** Sets of CPUs as text, such as `0-3,7`. Source: k8s.io/utils/cpuset. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { parseGoInt, type ValueFault } from './go-values.ts';

const parseRange = (text: string): readonly [number, number] | ValueFault => {
  const at = text.indexOf('-');
  const first = parseGoInt(at < 0 ? text : text.slice(0, at));
  const last = at < 0 ? first : parseGoInt(text.slice(at + 1));
  if (typeof first === 'object') return first;
  if (typeof last === 'object') return last;
  return first > last ? { error: `invalid range ${quote(text)} (${first} > ${last})` } : [first, last];
};

/** The most CPUs that a set may name, so that a wrong range is not built. */
const MOST_CPUS = 1_000_000;

/** The numbers of the CPUs, sorted; or what is wrong with the text. */
export const parseCpuSet = (text: string): readonly number[] | ValueFault => {
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

const rangeText = ([first, last]: readonly [number, number]): string =>
  first === last ? String(first) : `${first}-${last}`;

/** The shortest text for a set of CPUs, or of NUMA nodes. */
export const cpuSetText = (cpus: Iterable<number>): string => {
  const ranges: (readonly [number, number])[] = [];
  for (const cpu of [...new Set(cpus)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === cpu - 1) ranges[ranges.length - 1] = [last[0], cpu];
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(rangeText).join(',');
};
