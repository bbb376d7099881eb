import { nodeReclaimOf } from '../../../agent/rules/eviction/disk-layout.ts';
import { withContainerFsThresholds } from '../../../agent/rules/eviction/settings.ts';
import { conditionOf, resourceOf, type Signal } from '../../../agent/rules/eviction/thresholds/signals.ts';
import { amountOf, isHard, type Threshold } from '../../../agent/rules/eviction/thresholds/threshold.ts';
import {
  type EvictionConfig,
  thresholdsOf,
} from '../../../agent/rules/eviction/thresholds/threshold-config.ts';
import { quantityText, wholeUnits } from '../../../shared/kube/values/quantity.ts';
import { type Replays, replay } from '../replay.ts';
import {
  layoutOf,
  percentageText,
  type RecordedLayout,
  type RecordedThreshold,
  recordedThreshold,
  sortedByText,
  thresholdFrom,
  valueFrom,
} from './eviction-rows.ts';

/** The kubelet writes a threshold that is never met where there is none to copy. */
const withEmptyOnes = (
  thresholds: readonly Threshold[],
  layout: RecordedLayout,
): readonly RecordedThreshold[] => {
  const written = thresholds.map(recordedThreshold);
  if (!layout.dedicatedImageFs && layout.splitContainerFs) return written;
  const missing = (['containerfs.available', 'containerfs.inodesFree'] as const).flatMap((signal) =>
    [true, false]
      .filter((hard) => !thresholds.some((one) => one.signal === signal && isHard(one) === hard))
      .map(() => ({ graceSeconds: 0, minReclaim: null, operator: '', signal, value: { percentage: 0 } })),
  );
  return [...written, ...missing];
};

interface ContainerFsRow extends RecordedLayout {
  readonly thresholds: readonly RecordedThreshold[];
}

interface QuantityRow {
  readonly value: string;
  readonly capacity: number;
}

export const TABLES: Replays = {
  'eviction-parse': replay((config: EvictionConfig) => {
    const parsed = thresholdsOf(config);
    if ('error' in parsed) return { error: parsed.error };
    return { error: null, thresholds: sortedByText(parsed.thresholds.map(recordedThreshold)) };
  }),
  'eviction-quantity': replay(({ value, capacity }: QuantityRow) => {
    const given = valueFrom(value);
    const amount = amountOf(given, capacity);
    return {
      bytes: Number(wholeUnits(amount)),
      percentage: 'percentage' in given ? percentageText(given.percentage) : 0,
      string: quantityText(amount),
    };
  }),
  'eviction-containerfs': replay(({ thresholds, ...layout }: ContainerFsRow) => {
    const known = withContainerFsThresholds(thresholds.map(thresholdFrom), layoutOf(layout));
    return {
      error: known.ignored ?? null,
      thresholds: sortedByText(withEmptyOnes(known.thresholds, layout)),
    };
  }),
  'eviction-reclaim': replay(({ signal, ...layout }: RecordedLayout & { readonly signal: Signal }) => ({
    calls: nodeReclaimOf(signal, layoutOf(layout)),
    condition: conditionOf(signal),
    resource: resourceOf(signal),
  })),
};
