/** The nodes that a Hold is about. */
import type { Hold } from '../../shared/kube/types/hold.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { covers, targetOf } from '../../shared/rules/holds/held-by.ts';
import type { HoldScope } from '../../shared/rules/holds/hold-book.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import { zoneIdOf } from '../../shared/rules/zones/zone-names.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';

type Deps = { readonly objects: Pick<ObjectStore, 'nodeHealth' | 'page'> };

/** Whether a node is in one of the zones; its labels are not in the index. */
export const isInZones = ({ zones }: Pick<HoldScope, 'zones'>, { zone }: NodeHealthRow): boolean =>
  zones === undefined || zones.includes(zoneIdOf(zone));

/** How many nodes a Hold is about. Labels are not in the index: with a selector all Nodes are read. */
export const countHeld = async ({ objects }: Deps, { spec = {} }: Hold): Promise<number> => {
  let count = 0;
  if (spec.nodeSelector) {
    const scope = { ...spec, uid: '', name: '', stops: [], from: 0 };
    for await (const { object } of rowsIn(objects, 'nodes', ''))
      if (covers(scope, targetOf(object))) count += 1;
    return count;
  }
  for await (const { value } of objects.nodeHealth())
    count += value.filter((row) => isInZones(spec, row)).length;
  return count;
};

/** Nodes to which holds may have applied. */
export interface WaitingNodes {
  /** Those with NoExecute taints. */
  readonly tainted: readonly string[];
  /** Those that are not ready. */
  readonly down: readonly string[];
}

/** The nodes in the zones of these holds that may have waited for them. */
export const waitingIn = async (
  { objects }: Deps,
  holds: readonly Pick<HoldScope, 'zones'>[],
): Promise<WaitingNodes> => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of objects.nodeHealth())
    rows.push(...value.filter((row) => holds.some((hold) => isInZones(hold, row))));
  return {
    tainted: rows.filter(({ noExecute }) => noExecute.length > 0).map(({ name }) => name),
    down: rows.filter(({ ready }) => ready !== undefined && ready !== 'True').map(({ name }) => name),
  };
};
