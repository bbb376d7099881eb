import type { Bench, Figure } from '../figures/figures.ts';
import { median, spread } from '../figures/statistics.ts';
import type { FleetReport } from './monitor-fleet.ts';
import { FUNCTION_MEMORY_MB, monitorProcess } from './monitor-process.ts';

const SMALL = 1_000;
const MEDIUM = 10_000;
const LARGE = 100_000;
const PASSES = 15;
/** Milliseconds of a pass. */
const MOST_MS: Readonly<Record<number, number>> = { [MEDIUM]: 1_000, [LARGE]: 5_000 };

const passFigure = (nodes: number, { passMs }: FleetReport): Figure => {
  const most = MOST_MS[nodes];
  const target = most === undefined ? {} : { target: { atMost: most } };
  return { name: `pass over ${nodes} nodes in memory`, unit: 'ms', ...spread(passMs), ...target };
};

const memoryFigures = ({ heapBeforeMb, heapAfterMb, peakRssMb }: FleetReport): readonly Figure[] => [
  {
    name: `heap after GC, ${MEDIUM} nodes stored`,
    unit: 'MB',
    value: heapAfterMb,
    note: `${heapBeforeMb.toFixed(1)} MB before the passes`,
  },
  {
    name: `peak RSS, ${MEDIUM} nodes stored`,
    unit: 'MB',
    value: peakRssMb,
    target: { atMost: FUNCTION_MEMORY_MB },
    note: 'with the stored objects, which a function does not hold',
  },
];

/** Every fleet has ten times the nodes of the one before. */
const TIMES = 10;

const growth = (few: FleetReport, many: FleetReport, nodes: number): Figure => {
  const value = median(many.passMs) / median(few.passMs);
  const name = `growth of a pass, ${nodes} to ${nodes * TIMES} nodes`;
  return { name, unit: '×', value, note: `linear: ${TIMES}` };
};

const flipFigure = ({ flips }: FleetReport): readonly Figure[] =>
  flips
    ? [
        {
          name: 'flips to Unknown, a zone of 1000 silent',
          unit: 'flips/s',
          value: (flips.count / flips.ms) * 1000,
          note: `${flips.count} in one pass of ${flips.ms.toFixed(0)} ms`,
        },
      ]
    : [];

const run = (nodes: number, passes = PASSES, policies = 0): Promise<FleetReport> =>
  monitorProcess({ nodes, passes, policies }, { small: nodes <= MEDIUM });

const POLICIES = 50;

const policyFigure = (nodes: number, { passMs }: FleetReport): Figure => ({
  name: `pass over ${nodes} nodes, ${POLICIES} policies by labels`,
  unit: 'ms',
  ...spread(passMs),
});

/** Time and memory of health passes over fleets in memory: the control plane's own work, without a database. */
export const monitorPass: Bench = async ({ large }) => {
  const few = await run(SMALL);
  const many = await run(MEDIUM);
  const most = large ? await run(LARGE, 5) : undefined;
  const policed = await run(large ? LARGE : MEDIUM, 5, POLICIES);
  return [
    passFigure(SMALL, few),
    passFigure(MEDIUM, many),
    ...(most ? [passFigure(LARGE, most)] : []),
    policyFigure(large ? LARGE : MEDIUM, policed),
    growth(few, many, SMALL),
    ...(most ? [growth(many, most, MEDIUM)] : []),
    ...memoryFigures(many),
    ...flipFigure(many),
  ];
};
