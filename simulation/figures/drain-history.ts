/** Follows the drains of a run: how long each took, and how many nodes were under one at the same time. */

import { MAINTENANCE_PLANNED } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { isDrained } from '../../shared/rules/drain/drain-progress.ts';
import { trueCondition } from '../../shared/rules/drain/lifecycle-conditions.ts';
import { drainRequestOf } from '../../shared/rules/drain/node-drain.ts';
import type { Committed } from '../plane/control-plane-types.ts';

/** What became of the drains. */
export interface DrainOutcome {
  /** Drains that have ended with an empty node. */
  readonly drained: number;
  /** Nodes with a request that are not drained at the end. */
  readonly unfinished: number;
  /** The most nodes with a request at the same time. */
  readonly atOnce: number;
  /** Nodes that have had the condition `MaintenancePlanned`. */
  readonly announced: number;
  /** The longest time from a request until its node was drained, ms; absent if none was. */
  readonly longestMs?: number;
}

/** Follows commits. */
export interface DrainHistory {
  onCommit(commit: Committed): void;
  outcome(): DrainOutcome;
}

interface Requested {
  readonly id: string;
  readonly since: EpochMs;
  readonly isDone: boolean;
}

export const createDrainHistory = (): DrainHistory => {
  const nodes = new Map<string, Requested>();
  const announced = new Set<string>();
  const took: number[] = [];
  let atOnce = 0;
  return {
    onCommit: ({ at, change: { after } }) => {
      if (after?.key.resource !== 'nodes') return;
      const node = liveRow(after)?.object;
      if (node && trueCondition(node, MAINTENANCE_PLANNED)) announced.add(after.key.name);
      const request = node && drainRequestOf(node);
      if (!node || !request) {
        nodes.delete(after.key.name);
        return;
      }
      const known = nodes.get(after.key.name);
      const { since, isDone } = known?.id === request.id ? known : { since: at, isDone: false };
      if (isDrained(node) && !isDone) took.push(at - since);
      nodes.set(after.key.name, { id: request.id, since, isDone: isDone || isDrained(node) });
      atOnce = Math.max(atOnce, nodes.size);
    },
    outcome: () => ({
      drained: took.length,
      unfinished: [...nodes.values()].filter(({ isDone }) => !isDone).length,
      atOnce,
      announced: announced.size,
      ...(took.length > 0 ? { longestMs: Math.max(...took) } : {}),
    }),
  };
};
