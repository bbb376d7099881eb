/** Follows the Holds of a run: when each came into force, and what was destroyed after that. */

import type { Pod } from '../../shared/kube/types/core.ts';
import type { Hold } from '../../shared/kube/types/hold.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { liveRow, type Row } from '../../shared/ports/store/rows.ts';
import { covers, type HoldTarget, targetOf } from '../../shared/rules/holds/held-by.ts';
import { isInForce } from '../../shared/rules/holds/hold-state.ts';
import { HOLDS } from '../../shared/store/holds/settle-holds.ts';
import type { Committed } from '../plane/control-plane-types.ts';

/** What became of the Holds. */
export interface HoldOutcome {
  /** Holds that were made. */
  readonly made: number;
  /** NoExecute taints and evictions of nodes that a Hold in force covered. */
  readonly destroyed: number;
  /** The longest time from a Hold's creation until it was in force, ms; absent if none was. */
  readonly inForceAfterMs?: number;
  readonly atEnd: number;
}

/** Follows commits. */
export interface HoldHistory {
  onCommit(commit: Committed): void;
  outcome(): HoldOutcome;
}

const REASONS: readonly string[] = ['DeletionByTaintManager', 'EvictionByEvictionAPI', 'DeletionByPodGC'];

const isDoomed = (row: Row | undefined): boolean =>
  (liveRow(row)?.object as Pod | undefined)?.status?.conditions?.some(
    ({ type, reason }) => type === 'DisruptionTarget' && REASONS.includes(reason ?? ''),
  ) === true;

const taintsOf = (row: Row | undefined): number => liveRow(row)?.facts.node?.noExecute.length ?? 0;

interface Known {
  readonly hold: Hold;
  readonly madeAt: EpochMs;
}

/** The nodes of a run, so that it is known which Hold covers a pod. */
const createTargets = () => {
  const targets = new Map<string, HoldTarget>();
  return {
    see: (row: Row): void => {
      const live = liveRow(row);
      if (row.key.resource === 'nodes' && live) targets.set(row.key.name, targetOf(live.object));
    },
    of: (row: Row): HoldTarget =>
      targets.get(row.key.resource === 'nodes' ? row.key.name : (liveRow(row)?.facts.pod?.nodeName ?? '')),
  };
};

const isDestroyed = ({ before, after }: Committed['change']): boolean => {
  if (after?.key.resource === 'nodes') return taintsOf(before) === 0 && taintsOf(after) > 0;
  return after?.key.resource === 'pods' && !isDoomed(before) && isDoomed(after);
};

/** Follows the Holds and what they stop. */
export const createHoldHistory = (): HoldHistory => {
  const [known, targets, took] = [new Map<string, Known>(), createTargets(), [] as number[]];
  let [made, destroyed] = [0, 0];
  const seeHold = (row: Row, at: EpochMs): void => {
    const hold: Hold | undefined = liveRow(row)?.object;
    const before = known.get(row.key.name);
    if (!hold) known.delete(row.key.name);
    else {
      if (!before) made += 1;
      const madeAt = before?.madeAt ?? at;
      if (isInForce(hold) && !(before && isInForce(before.hold))) took.push(at - madeAt);
      known.set(row.key.name, { hold, madeAt });
    }
  };
  return {
    onCommit: ({ at, change }) => {
      const { after } = change;
      if (!after) return;
      targets.see(after);
      if (after.key.resource === HOLDS) seeHold(after, at);
      else if (isDestroyed(change)) {
        const scopeOf = ({ hold: { spec = {} } }: Known) => ({
          ...spec,
          uid: '',
          name: '',
          stops: [],
          from: 0,
        });
        const inForce = [...known.values()].filter(({ hold }) => isInForce(hold));
        if (inForce.some((one) => covers(scopeOf(one), targets.of(after)))) destroyed += 1;
      }
    },
    outcome: () => ({
      made,
      destroyed,
      atEnd: known.size,
      ...(took.length > 0 ? { inForceAfterMs: Math.max(...took) } : {}),
    }),
  };
};
