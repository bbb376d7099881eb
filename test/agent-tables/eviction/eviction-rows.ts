/** How the tables about eviction write thresholds and disks. */
import type { DiskLayout } from '../../../agent/rules/eviction/disk-layout.ts';
import type { Signal } from '../../../agent/rules/eviction/thresholds/signals.ts';
import type { Threshold, ThresholdValue } from '../../../agent/rules/eviction/thresholds/threshold.ts';
import { isPercentage, parsePercentage } from '../../../agent/rules/eviction/thresholds/threshold-config.ts';
import { quantityText } from '../../../shared/kube/values/quantity.ts';
import { parseQuantity } from '../../../shared/kube/values/quantity-parse.ts';

export interface RecordedLayout {
  readonly dedicatedImageFs: boolean;
  readonly splitContainerFs: boolean;
}

type RecordedValue = string | { readonly percentage: number | string };

export interface RecordedThreshold {
  readonly signal: Signal;
  readonly operator: string;
  readonly value: RecordedValue;
  readonly graceSeconds: number;
  readonly minReclaim: RecordedValue | null;
}

export const layoutOf = ({ dedicatedImageFs, splitContainerFs }: RecordedLayout): DiskLayout => ({
  hasImageFs: dedicatedImageFs,
  hasContainerFs: splitContainerFs,
});

/** A float32 as Go writes it: with the fewest digits that tell it from its neighbours. */
export const percentageText = (percentage: number): number | string => {
  if (!Number.isFinite(percentage)) return percentage === Infinity ? '+Inf' : 'NaN';
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].find(
    (count) => Math.fround(Number(percentage.toPrecision(count))) === percentage,
  );
  return Number(percentage.toPrecision(digits));
};

const recordedValue = (value: ThresholdValue): RecordedValue =>
  'quantity' in value ? quantityText(value.quantity) : { percentage: percentageText(value.percentage) };

export const recordedThreshold = ({ signal, value, graceMs, minReclaim }: Threshold): RecordedThreshold => ({
  graceSeconds: graceMs / 1000,
  minReclaim: minReclaim ? recordedValue(minReclaim) : null,
  operator: 'LessThan',
  signal,
  value: recordedValue(value),
});

/** A text of a configuration. */
export const valueFrom = (text: string): ThresholdValue => {
  const value = isPercentage(text) ? parsePercentage(text) : parseQuantity(text);
  if (typeof value === 'number') return { percentage: value };
  if ('error' in value) throw new Error(value.error);
  return { quantity: value };
};

const recordedFrom = (value: RecordedValue): ThresholdValue =>
  typeof value === 'string' ? valueFrom(value) : { percentage: Math.fround(Number(value.percentage)) };

export const thresholdFrom = ({ signal, value, graceSeconds, minReclaim }: RecordedThreshold): Threshold => ({
  signal,
  value: recordedFrom(value),
  graceMs: graceSeconds * 1000,
  ...(minReclaim && { minReclaim: recordedFrom(minReclaim) }),
});

/** By their JSON texts, as the tables sort what has no order. Members stand in the order of their names. */
export const sortedByText = <Value>(values: readonly Value[]): readonly Value[] =>
  values
    .map((value) => ({ value, text: JSON.stringify(value) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ value }) => value);
