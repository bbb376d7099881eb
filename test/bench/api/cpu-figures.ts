/** Processor time of calls, each in relation to the first. */
import type { Figure } from '../figures/figures.ts';
import { median, spread } from '../figures/statistics.ts';

/** Share of the calls that come first and are not counted. */
const WARM_UP = 0.25;

export type Call = () => Promise<unknown>;
/** Samples, and calls in each of them. */
export interface Repetitions {
  readonly batches: number;
  readonly calls: number;
}

const repeat = async (call: Call, times: number): Promise<void> => {
  for (let index = 0; index < times; index += 1) await call();
};

/** Processor milliseconds of the whole process per call, over a batch, for the clock counts in microseconds. */
const cpuOf = async (call: Call, calls: number): Promise<number> => {
  const before = process.cpuUsage();
  await repeat(call, calls);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
};

interface Measured {
  readonly name: string;
  readonly call: Call;
  readonly samples: number[];
}

/** Measures in turn, batch by batch: whatever else the machine does, it does to all of them. */
const measureInTurn = async (
  measured: readonly Measured[],
  { batches, calls }: Repetitions,
): Promise<void> => {
  for (const { call } of measured) await repeat(call, batches * calls * WARM_UP);
  for (let batch = 0; batch < batches; batch += 1)
    for (const { call, samples } of measured) samples.push(await cpuOf(call, calls));
};

const ratioOf = (samples: readonly number[], base: Measured): number =>
  median(samples.map((sample, batch) => sample / (base.samples[batch] ?? Number.NaN)));

const figureOf = (
  { name, samples }: Measured,
  base: Measured,
  { batches, calls }: Repetitions,
  atMost: number | undefined,
): Figure => ({
  name,
  unit: 'ms CPU',
  ...spread(samples),
  samples: batches * calls,
  ...(samples === base.samples
    ? {}
    : {
        ratio: { value: ratioOf(samples, base), to: `a ${base.name}` },
        ...(atMost === undefined ? {} : { target: { atMost } }),
      }),
});

/** The first call is the base line of the others, for which `atMost` (ms) is the target. */
export const figuresOf = async (
  calls: Readonly<Record<string, Call>>,
  times: Repetitions,
  atMost?: number,
): Promise<readonly Figure[]> => {
  const measured = Object.entries(calls).map(([name, call]): Measured => ({ name, call, samples: [] }));
  const [base] = measured;
  if (!base) return [];
  await measureInTurn(measured, times);
  return measured.map((one) => figureOf(one, base, times, atMost));
};
