import { describe, expect, it } from 'vitest';
import {
  actionable,
  isMet,
  NO_PRESSURE,
  observedPressure,
  type PressureState,
} from '../../../../../agent/rules/eviction/pressure.ts';
import type { Signal } from '../../../../../agent/rules/eviction/thresholds/signals.ts';
import type { Threshold } from '../../../../../agent/rules/eviction/thresholds/threshold.ts';
import { thresholdsOf } from '../../../../../agent/rules/eviction/thresholds/threshold-config.ts';

const MI = 2 ** 20;
const MINUTE = 60_000;

const thresholds = (config: Parameters<typeof thresholdsOf>[0]): readonly Threshold[] => {
  const parsed = thresholdsOf(config);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed.thresholds;
};

const SOFT_AND_HARD = thresholds({
  evictionHard: { 'memory.available': '1Gi' },
  evictionSoft: { 'memory.available': '2Gi' },
  evictionSoftGracePeriod: { 'memory.available': '2m' },
});

const WITH_RECLAIM = thresholds({
  evictionHard: { 'memory.available': '1Gi' },
  evictionMinimumReclaim: { 'memory.available': '500Mi' },
});

/** After each step: the conditions, and how many thresholds are due by new measurements. */
const after = (
  list: readonly Threshold[],
  steps: readonly (readonly [minutes: number, mebibytes: number])[],
) => {
  let [state, now]: [PressureState, number] = [NO_PRESSURE, 0];
  return steps.map(([minutes, mebibytes]) => {
    now += minutes * MINUTE;
    const observations = {
      'memory.available': { available: mebibytes * MI, capacity: 8192 * MI, time: now },
    };
    const before = state;
    state = observedPressure(
      { thresholds: list, pressureTransitionMs: 5 * MINUTE },
      before,
      observations,
      now,
    );
    return `${state.conditions.join(' ')} ${actionable(list, before, state).length}`.trim();
  });
};

describe('pressure', () => {
  it.each([
    {
      rule: 'is reported before a soft grace period is over, and for the transition period after its end',
      list: SOFT_AND_HARD,
      steps: [
        [0, 2048],
        [1, 1500],
        [2, 1500],
        [20, 3072],
        [1, 500],
        [1, 2048],
        [5, 2048],
      ],
      seen: ['0', 'MemoryPressure 0', 'MemoryPressure 1', '0', 'MemoryPressure 1', 'MemoryPressure 0', '0'],
    },
    {
      rule: 'goes on until the minimum reclaim is there, too',
      list: WITH_RECLAIM,
      steps: [
        [0, 2048],
        [1, 500],
        [1, 1228],
        [1, 2048],
        [5, 2048],
      ],
      seen: ['0', 'MemoryPressure 1', 'MemoryPressure 1', 'MemoryPressure 0', '0'],
    },
    {
      rule: 'that ends for one round starts its grace period anew',
      list: SOFT_AND_HARD,
      steps: [
        [0, 1500],
        [1, 3072],
        [1, 1500],
        [1, 1500],
        [1, 1500],
      ],
      seen: [
        'MemoryPressure 0',
        'MemoryPressure 0',
        'MemoryPressure 0',
        'MemoryPressure 0',
        'MemoryPressure 1',
      ],
    },
  ] as const)('$rule', ({ list, steps, seen }) => {
    expect(after(list, steps)).toEqual(seen);
  });

  it.each([
    [1000, 100, false, true],
    [1000, 300, false, false],
    [1000, 225, true, true],
    [1000, 300, true, false],
    [1000, 200, false, false],
    [1000, 250, true, false],
  ])(
    'of 20 %%, reclaim 5 %%, of %i: %i left, with reclaim %j: %j',
    (capacity, available, withReclaim, met) => {
      const [threshold] = thresholds({
        evictionHard: { 'memory.available': '20%' },
        evictionMinimumReclaim: { 'memory.available': '5%' },
      });
      expect(threshold && isMet(threshold, { available, capacity }, withReclaim)).toBe(met);
    },
  );
});

describe('thresholds that are due', () => {
  const SIGNALS: readonly Signal[] = ['nodefs.available', 'pid.available', 'memory.available'];
  const list = thresholds({ evictionHard: Object.fromEntries(SIGNALS.map((signal) => [signal, '10'])) });
  const measured = (time?: number) =>
    Object.fromEntries(
      SIGNALS.map((signal) => [signal, { available: 1, capacity: 100, ...(time !== undefined && { time }) }]),
    );
  const due = (before: number | undefined, now: number | undefined) => {
    const state = { ...NO_PRESSURE, observations: measured(before) };
    const next = observedPressure({ thresholds: list, pressureTransitionMs: 0 }, state, measured(now), 0);
    return actionable(list, state, next).map(({ signal }) => signal);
  };
  const ALL = ['memory.available', 'nodefs.available', 'pid.available'];

  it.each([
    ['a measurement without a time counts', 5, undefined, ALL],
    ['one that follows one without a time counts', undefined, 5, ALL],
    ['an older one does not', 5, 4, []],
    ['the same one does not', 5, 5, []],
    ['a newer one does, memory first', 5, 6, ALL],
  ])('%s', (_, before, now, wanted) => {
    expect(due(before, now)).toEqual(wanted);
  });
});
