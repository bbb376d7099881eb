import { builtInScenario } from '../../simulation/built-in.ts';
import { simulate } from '../../simulation/simulate.ts';
import type { Bench, Figure } from './figures/figures.ts';

/** Milliseconds of an hour of 100,000 nodes. */
const MOST_MS = 30_000;
/** Milliseconds until the sweep. */
const MOST_LATE_MS = 60_000;

const crashes = async (): Promise<readonly Figure[]> => {
  const { figures } = await simulate(builtInScenario('ten-thousand-crashes'));
  const { crashToUnknown, silenceToUnknown, falseUnknown } = figures;
  if (!crashToUnknown || !silenceToUnknown) throw new Error('nothing crashed');
  const note = `${crashToUnknown.count} crashes; beat 10 s, pass 5 s, grace 40 s`;
  return [
    {
      name: 'crash → Unknown, median',
      unit: 'ms',
      value: crashToUnknown.p50,
      target: { atMost: 38_000 },
      note,
    },
    { name: 'crash → Unknown, p99', unit: 'ms', value: crashToUnknown.p99, target: { atMost: 45_000 } },
    {
      name: 'last beat → Unknown, soonest',
      unit: 'ms',
      value: silenceToUnknown.min,
      target: { atLeast: 40_000 },
    },
    { name: 'false Unknown', unit: 'nodes', value: falseUnknown, target: { atMost: 0 } },
  ];
};

const largeFleet = async (): Promise<Figure> => {
  const scenario = builtInScenario('large-fleet');
  const startedAt = performance.now();
  const { figures, failings } = await simulate(scenario);
  const value = performance.now() - startedAt;
  const note = `${figures.unknown} Unknown, ${figures.taints} taints; ${failings.length === 0 ? 'verdict passed' : 'FAILED'}`;
  return {
    name: `an hour of ${figures.nodes} nodes in 6 zones`,
    unit: 'ms',
    value,
    target: { atMost: MOST_MS },
    note,
  };
};

const lostWakeUps = async (): Promise<Figure> => {
  const { podsLate } = (await simulate(builtInScenario('lost-wake-ups'))).figures;
  if (!podsLate) throw new Error('no pod went');
  return {
    name: 'toleration deadline → deletion, its message lost, latest',
    unit: 'ms',
    value: podsLate.max,
    target: { atMost: MOST_LATE_MS },
    note: `${podsLate.count} pods, median ${podsLate.p50} ms`,
  };
};

/** Detection over ten thousand crashes, and how long an hour of a large fleet takes. */
export const simulation: Bench = async ({ large }) =>
  large ? [...(await crashes()), await lostWakeUps(), await largeFleet()] : [await lostWakeUps()];
