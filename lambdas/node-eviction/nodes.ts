import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { Row } from '../../shared/ports/store/rows.ts';
import { nodeKey } from '../../shared/ports/store/rows.ts';
import { applyNoExecute, decideNoExecute } from '../../shared/rules/nodes/no-execute.ts';
import { shutdownAt } from '../../shared/rules/shutdown/shutdown-facts.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** How long (ms) a token is valid. If its taint were written later, the next taint could follow faster than the rate allows. */
const TOKEN_VALID_MS = 1_000;

/** A node that waits for its NoExecute taint. The uid distinguishes it from a later node of the same name. */
export interface WaitingNodeId {
  readonly name: string;
  readonly uid: string;
}

/** A node that shuts down does not wait: it ends its pods itself, and no token is taken for it. */
const isWaiting = (row: Row | undefined, now: EpochMs): row is Extract<Row, { state: 'live' }> =>
  row?.state === 'live' && !shutdownAt(row.facts.node, now) && decideNoExecute(row.object).action === 'queue';

/**
 * The first of the named nodes that still waits for its taint, by consistent reads. Names stay in the list until the next pass, so
 * nodes that have the taint, have recovered or are gone are skipped.
 */
export const longestWaitingNode = async (
  { objects, clock }: { readonly objects: Pick<ObjectStore, 'read'>; readonly clock: Pick<Clock, 'now'> },
  names: readonly string[],
): Promise<WaitingNodeId | undefined> => {
  for (const name of names) {
    const row = await objects.read(nodeKey(name));
    if (isWaiting(row, clock.now())) return { name, uid: row.uid };
  }
  return undefined;
};

/**
 * Writes the taint that the node's Ready condition requires, if it is still the same node, still waits, and the token taken at
 * `takenAt` (ms) is still valid. Returns whether it wrote.
 */
export const taintNode = async (
  { writer }: { readonly writer: ObjectWriter },
  { name, uid }: WaitingNodeId,
  takenAt: EpochMs,
): Promise<boolean> => {
  const result = await writer.write(nodeKey(name), (row, now) => {
    if (!isWaiting(row, now) || row.uid !== uid || now - takenAt > TOKEN_VALID_MS) return undefined;
    const decision = decideNoExecute(row.object);
    if (decision.action !== 'queue') return undefined;
    return { next: applyNoExecute(row.object, decision.add, now), writer: 'controller' };
  });
  return result.outcome === 'written';
};
