import type { ConditionStatus } from '../../shared/api/meta.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import type { NoExecuteDecision } from '../../shared/domain/nodes/no-execute.ts';
import { decideNoExecuteFor } from '../../shared/domain/nodes/no-execute.ts';
import type { Heartbeats, NodeHealthDecision, NodeHealthRow } from '../../shared/domain/nodes/node-health.ts';
import { decideNodeHealth, readyAfter } from '../../shared/domain/nodes/node-health.ts';
import type { HeartbeatItem } from '../../shared/ports/heartbeats.ts';

/** What one pass knows of a node and has decided about it. */
export interface Judgement {
  readonly row: NodeHealthRow;
  readonly health: NodeHealthDecision;
  /** Ready as decided, whether or not it is written. */
  readonly ready: ConditionStatus | undefined;
  readonly noExecute: NoExecuteDecision;
}

/** What all decisions of one pass share. */
export interface Viewpoint {
  /** Taken before anything was read (ms). */
  readonly now: EpochMs;
  readonly clockFloor: EpochMs;
  readonly config: NodeLifecycleConfig;
}

/** The signs of life of the Node with this uid; an item of another one, or of none, has none for it. */
const beatsFor = (item: HeartbeatItem | undefined, uid: string): Heartbeats | undefined =>
  item?.uid === uid
    ? {
        // Field by field: a copy of the whole item, for each node of each pass, is what a pass would mostly do.
        leaseAt: item.leaseAt,
        statusAt: item.statusAt,
        plainAt: item.plainAt,
        relayAt: item.relayAt,
        hasLease: item.lease !== undefined,
      }
    : undefined;

/** Decides about one node: its health, and by the Ready that follows its NoExecute taints. */
export const judge = (
  row: NodeHealthRow,
  item: HeartbeatItem | undefined,
  { now, clockFloor, config }: Viewpoint,
): Judgement => {
  const health = decideNodeHealth(row, beatsFor(item, row.uid), clockFloor, now, config);
  const ready = readyAfter(row, health);
  return { row, health, ready, noExecute: decideNoExecuteFor(ready, row.noExecute) };
};

/** The judgement of a node whose flip was refused: it keeps the Ready that is stored. */
export const withoutFlip = ({ row }: Judgement): Judgement => ({
  row,
  health: { action: 'none' },
  ready: row.ready,
  noExecute: decideNoExecuteFor(row.ready, row.noExecute),
});

/** Whether the pass itself has something to write: a taint that waits for a token is put by the eviction worker. */
export const needsWrite = ({ health, noExecute }: Judgement): boolean =>
  health.action !== 'none' || noExecute.action === 'remove' || noExecute.action === 'swap';

const silence = ({ health }: Judgement): number =>
  health.action === 'markUnknown' ? health.silentForMs : Number.POSITIVE_INFINITY;

/** Recoveries first, for they stop evictions; then the longest silent. */
export const byUrgency = (a: Judgement, b: Judgement): number => {
  const [first, second] = [silence(a), silence(b)];
  return first === second ? 0 : second - first;
};
