/**
 * Which thresholds are met, since when, and what the node says about it. Source: kubernetes v1.34 pkg/kubelet/eviction
 * `synchronize` and `helpers.go`.
 */
import { addQuantities, quantityOf } from '../../../shared/kube/values/quantity.ts';
import type { SteadyMs } from '../stats/summary.ts';
import type { Observation, Observations } from './observations.ts';
import { conditionOf, isMemorySignal, type PressureCondition } from './thresholds/signals.ts';
import { amountOf, type Threshold } from './thresholds/threshold.ts';

/** A threshold by its place in the list of the settings. */
export type ThresholdPlace = number;

/** What the agent remembers from one round to the next. */
export interface PressureState {
  /** What the node says about itself, and what pods are admitted by. */
  readonly conditions: readonly PressureCondition[];
  /** Since when each threshold has been met without a break. */
  readonly metSince: ReadonlyMap<ThresholdPlace, SteadyMs>;
  /** Those that have been met for as long as their grace period. */
  readonly due: readonly ThresholdPlace[];
  readonly conditionSeenAt: ReadonlyMap<PressureCondition, SteadyMs>;
  /** What was measured in the last round. */
  readonly observations: Observations;
}

export const NO_PRESSURE: PressureState = {
  conditions: [],
  metSince: new Map(),
  due: [],
  conditionSeenAt: new Map(),
  observations: {},
};

/** In the order in which they are reported. */
const CONDITIONS: readonly PressureCondition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Whether less is available than the threshold says; with `withReclaim` also less than the minimum reclaim above it. */
export const isMet = (
  { value, minReclaim }: Threshold,
  observation: Observation | undefined,
  withReclaim: boolean,
): boolean => {
  if (!observation) return false;
  const { available, capacity } = observation;
  const least = amountOf(value, capacity);
  const wanted = withReclaim && minReclaim ? addQuantities(least, amountOf(minReclaim, capacity)) : least;
  return wanted.nano > quantityOf(available, wanted.format).nano;
};

/** A threshold that was due goes on being met until its minimum reclaim is there, too. */
const metPlaces = (
  thresholds: readonly Threshold[],
  due: readonly ThresholdPlace[],
  observations: Observations,
): readonly ThresholdPlace[] => {
  const [places, wasDue] = [[...thresholds.keys()], new Set(due)];
  return places.filter((place) => {
    const threshold = thresholds[place];
    if (!threshold) return false;
    const observation = observations[threshold.signal];
    return isMet(threshold, observation, false) || (wasDue.has(place) && isMet(threshold, observation, true));
  });
};

export interface PressureSettings {
  readonly thresholds: readonly Threshold[];
  /** How long the node goes on reporting a pressure that has ended. */
  readonly pressureTransitionMs: number;
}

/** The state after what was measured at `now`. */
export const observedPressure = (
  { thresholds, pressureTransitionMs }: PressureSettings,
  state: PressureState,
  observations: Observations,
  now: SteadyMs,
): PressureState => {
  const met = metPlaces(thresholds, state.due, observations);
  const metSince = new Map(met.map((place) => [place, state.metSince.get(place) ?? now]));
  const seen = met.flatMap((place) => thresholds[place] ?? []).map(({ signal }) => conditionOf(signal));
  const conditionSeenAt = new Map([...state.conditionSeenAt, ...seen.map((one) => [one, now] as const)]);
  const seenAgo = (condition: PressureCondition): number =>
    now - (conditionSeenAt.get(condition) ?? -Infinity);
  const metFor = (place: ThresholdPlace): number => now - (metSince.get(place) ?? now);
  return {
    conditions: CONDITIONS.filter((condition) => seenAgo(condition) < pressureTransitionMs),
    metSince,
    due: met.filter((place) => metFor(place) >= (thresholds[place]?.graceMs ?? 0)),
    conditionSeenAt,
    observations,
  };
};

const isNewer = (observation: Observation | undefined, before: Observation | undefined): boolean => {
  if (!observation) return false;
  if (!before || observation.time === undefined) return true;
  return observation.time > (before.time ?? -Infinity);
};

/** The thresholds that are due by new measurements, those of memory first. */
export const actionable = (
  thresholds: readonly Threshold[],
  before: PressureState,
  after: PressureState,
): readonly Threshold[] => {
  const due = after.due
    .flatMap((place) => thresholds[place] ?? [])
    .filter(({ signal }) => isNewer(after.observations[signal], before.observations[signal]));
  return [
    ...due.filter(({ signal }) => isMemorySignal(signal)),
    ...due.filter(({ signal }) => !isMemorySignal(signal)),
  ];
};
