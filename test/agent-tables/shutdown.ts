import {
  graceEntries,
  groupByPriority,
  requestedSeconds,
} from '../../agent/rules/shutdown/priority-groups.ts';
import { shutdownRun } from '../support/agent/shutdown/recorded-shutdown.ts';
import { type Replays, replay } from './replay.ts';

interface GroupRow {
  readonly shutdownGracePeriodMs: number;
  readonly shutdownGracePeriodCriticalPodsMs: number;
  readonly byPodPriority: readonly (readonly [number, number])[];
  readonly priorities: readonly (number | null)[];
}

export const TABLES: Replays = {
  'shutdown-run': replay(shutdownRun),
  'shutdown-group': replay(({ byPodPriority, priorities, ...periods }: GroupRow) => {
    const entries = graceEntries({
      ...periods,
      byPodPriority: byPodPriority.map(([priority, seconds]) => ({
        priority,
        shutdownGracePeriodSeconds: seconds,
      })),
    });
    const pods = priorities.map((priority, index) => ({
      index,
      spec: priority === null ? {} : { priority },
    }));
    const groups = groupByPriority(entries, pods).map((group) => group.pods.map(({ index }) => index));
    return {
      enabled: entries.length > 0,
      entries: entries.map(({ priority, shutdownGracePeriodSeconds }) => [
        priority,
        shutdownGracePeriodSeconds,
      ]),
      requestedSeconds: requestedSeconds(entries),
      ...(entries.length > 0 && { groups }),
    };
  }),
};
