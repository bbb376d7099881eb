import { cpuSetText, parseCpuSet } from '../../../agent/rules/config/cpu-set.ts';
import { takeDistributed } from '../../../agent/rules/cpus/distribute-cpus.ts';
import { type CpuOptionGates, parseCpuOptions } from '../../../agent/rules/cpus/policy-options.ts';
import { takePacked } from '../../../agent/rules/cpus/take-cpus.ts';
import { cpuStaticRun } from '../../support/agent/recorded/recorded-cpu-static.ts';
import { type RecordedCpu, recordedTopology } from '../../support/agent/recorded/recorded-cpus.ts';
import { type Replays, replay } from '../replay.ts';

interface TakeRow {
  readonly topology: readonly RecordedCpu[];
  readonly available: string;
  readonly count: number;
  readonly groupSize: number;
  readonly how: 'packed' | 'spread' | 'packed-uncore' | 'distributed';
}

const setOf = (text: string): readonly number[] => {
  const set = parseCpuSet(text);
  if ('error' in set) throw new Error(set.error);
  return set;
};

interface OptionsRow extends CpuOptionGates {
  readonly options: Readonly<Record<string, string>>;
}

export const TABLES: Replays = {
  'cpu-static': replay(cpuStaticRun),
  'cpu-options': replay(({ options, ...gates }: OptionsRow) => {
    const parsed = parseCpuOptions(options, gates);
    return 'error' in parsed ? parsed.error : null;
  }),
  'cpu-set-format': replay((text: string) => {
    const set = parseCpuSet(text);
    return 'error' in set
      ? { error: set.error, list: [], string: '' }
      : { error: null, list: set, string: cpuSetText(set) };
  }),
  'cpu-take': replay(({ topology, available, count, groupSize, how }: TakeRow) => {
    const machine = recordedTopology(topology);
    const order = how === 'spread' ? ('spread' as const) : ('packed' as const);
    const wish = { available: setOf(available), count, order };
    const taken =
      how === 'distributed'
        ? takeDistributed(machine, wish, groupSize)
        : takePacked(machine, wish, how === 'packed-uncore');
    return 'error' in taken ? { error: taken.error, cpus: '' } : { error: null, cpus: cpuSetText(taken) };
  }),
};
