import type { EpochMs } from '../../shared/api/time.ts';
import { applyNoExecute, decideNoExecute } from '../../shared/domain/nodes/no-execute.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { Row } from '../../shared/ports/rows.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';

/** A token is good for this long (ms): used later, its taint could stand too close to the next token's. */
const TOKEN_VALID_MS = 1_000;

export interface WaitingNodeId {
  readonly name: string;
  readonly uid: string;
}

const isWaiting = (row: Row | undefined): row is Extract<Row, { state: 'live' }> =>
  row?.state === 'live' && decideNoExecute(row.object).action === 'queue';

/**
 * The first of the names that still waits for its taint, by a consistent read. Names stay in the list until the next pass:
 * those that have their taint, are back or gone are passed over.
 */
export const longestWaitingNode = async (
  { objects }: { readonly objects: Pick<ObjectStore, 'read'> },
  names: readonly string[],
): Promise<WaitingNodeId | undefined> => {
  for (const name of names) {
    const row = await objects.read(nodeKey(name));
    if (isWaiting(row)) return { name, uid: row.uid };
  }
  return undefined;
};

/** Writes the taint that the node's condition calls for, if it is still the same node and still waits. */
export const taintNode = async (
  { writer }: { readonly writer: ObjectWriter },
  { name, uid }: WaitingNodeId,
  takenAt: EpochMs,
): Promise<boolean> => {
  const result = await writer.write(nodeKey(name), (row, now) => {
    if (!isWaiting(row) || row.uid !== uid || now - takenAt > TOKEN_VALID_MS) return undefined;
    const decision = decideNoExecute(row.object);
    if (decision.action !== 'queue') return undefined;
    return { next: applyNoExecute(row.object, decision.add, now), writer: 'controller' };
  });
  return result.outcome === 'written';
};
