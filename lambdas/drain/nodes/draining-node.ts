/** The node of a drain, as it was last read. */

import { type LiveRow, liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import type { DrainRequest } from '../../../shared/rules/drain/drain-request.ts';
import { drainRequestOf } from '../../../shared/rules/drain/node-drain.ts';
import type { DrainDeps } from '../deps.ts';

export interface DrainingNode {
  readonly row: LiveRow;
  readonly request: DrainRequest;
}

/** The row of a node with its request; `undefined`: nobody wants it drained. */
export const drainingNode = (row: LiveRow | undefined): DrainingNode | undefined => {
  const request = row && drainRequestOf(row.object);
  return row && request ? { row, request } : undefined;
};

/** Reads the node. */
export const readDraining = async (
  { objects }: Pick<DrainDeps, 'objects'>,
  name: string,
): Promise<DrainingNode | undefined> => drainingNode(liveRow(await objects.read(nodeKey(name))));
