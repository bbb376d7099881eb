import { pressureRejection } from '../../../agent/rules/eviction/admission.ts';
import { evictionReason } from '../../../agent/rules/eviction/message.ts';
import { rankedForEviction, statsByUid } from '../../../agent/rules/eviction/rank.ts';
import type {
  PressureCondition,
  Signal,
  StarvedResource,
} from '../../../agent/rules/eviction/thresholds/signals.ts';
import type { PodStats } from '../../../agent/rules/stats/summary.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { type Replays, replay } from '../replay.ts';
import { layoutOf, type RecordedLayout, valueFrom } from './eviction-rows.ts';

interface RankRow extends RecordedLayout {
  readonly signal: Signal;
  readonly pods: readonly Pod[];
  readonly stats: readonly PodStats[];
}

interface MessageRow {
  readonly resource: StarvedResource;
  readonly signal: Signal;
  readonly available: number;
  readonly capacity: number;
  readonly pod: Pod;
  readonly stats: readonly PodStats[];
  readonly thresholds: readonly { readonly signal: Signal; readonly value: string }[];
}

export const TABLES: Replays = {
  'eviction-rank': replay(({ pods, stats, signal, ...layout }: RankRow) =>
    rankedForEviction(pods, statsByUid(stats), signal, layoutOf(layout)).map(({ metadata }) => metadata.name),
  ),
  'eviction-message': replay(
    ({ resource, pod, stats, thresholds, signal, available, capacity }: MessageRow) =>
      evictionReason(
        resource,
        pod,
        statsByUid(stats)(pod),
        thresholds.map((one) => ({ signal: one.signal, value: valueFrom(one.value), graceMs: 0 })),
        { [signal]: { available, capacity } },
      ),
  ),
  'eviction-admit': replay(
    ({ pod, conditions }: { readonly pod: Pod; readonly conditions: readonly PressureCondition[] }) => {
      const rejection = pressureRejection(pod, conditions);
      return { admit: rejection === undefined, message: '', reason: '', ...rejection };
    },
  ),
};
