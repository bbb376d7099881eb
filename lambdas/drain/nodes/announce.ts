/** Tells nodes of the maintenance that comes, and of that which is in progress. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { NodeMaintenance } from '../../../shared/kube/types/node-maintenance.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import { withMaintenanceConditions } from '../../../shared/rules/cloud/planned-maintenance.ts';
import {
  type PlannedWindow,
  plannedWindows,
  windowAhead,
} from '../../../shared/rules/drain/planned-windows.ts';
import { rowsIn } from '../../../shared/store/lists/row-pages.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { DrainDeps } from '../deps.ts';
import { nextStart } from './next-start.ts';

/** Plural name of the resource. */
export const MAINTENANCES = 'nodemaintenances';

/** Nodes that are written at the same time. */
const CONCURRENCY = 16;

/** The node with the conditions of its maintenance as they are right at `now` (ms). The same object if they are. */
export type TellMaintenance = (node: Node, now: EpochMs) => Node;

/** All NodeMaintenances. */
export const allMaintenances = ({
  objects,
}: Pick<DrainDeps, 'objects'>): Promise<readonly NodeMaintenance[]> =>
  Array.fromAsync(rowsIn(objects, MAINTENANCES, ''), ({ object }) => object);

/** Tells nodes by these NodeMaintenances. Their windows are computed once for each instant. */
export const tellerOf = (maintenances: readonly NodeMaintenance[]): TellMaintenance => {
  let known: { readonly at: EpochMs; readonly windows: readonly PlannedWindow[] } | undefined;
  const windowsAt = (now: EpochMs): readonly PlannedWindow[] => {
    if (known?.at !== now)
      known = { at: now, windows: maintenances.flatMap((one) => plannedWindows(one, now, nextStart)) };
    return known.windows;
  };
  return (node, now) => withMaintenanceConditions(node, windowsAt(now), now);
};

/** Corrects those of the nodes whose conditions are wrong, each as it is then. Throws if a node could not be written. */
export const announce = async (
  { writer, clock }: Pick<DrainDeps, 'writer' | 'clock'>,
  tell: TellMaintenance,
  nodes: readonly Node[],
): Promise<void> => {
  const now = clock.now();
  const wrong = nodes.filter((node) => tell(node, now) !== node);
  await inParallel(wrong, CONCURRENCY, ({ metadata: { name, uid } }) =>
    writer.write(nodeKey(name), (found, at) => {
      const row = liveRow(found);
      if (row === undefined || row.uid !== uid) return undefined;
      const next = tell(row.object, at);
      return next === row.object ? undefined : { next, writer: 'controller' };
    }),
  );
};

/** How many of the nodes the windows of this NodeMaintenance that are announced at `now` (ms) have before them. */
export const plannedIn = (maintenance: NodeMaintenance, nodes: readonly Node[], now: EpochMs): number => {
  const windows = plannedWindows(maintenance, now, nextStart);
  return windows.length === 0 ? 0 : nodes.filter((node) => windowAhead(node, windows)).length;
};

/** Tells nodes by all NodeMaintenances, this one as it was read. */
export const tellerWith = async (deps: DrainDeps, maintenance: NodeMaintenance): Promise<TellMaintenance> => {
  const { name } = maintenance.metadata;
  const others = (await allMaintenances(deps)).filter(({ metadata }) => metadata.name !== name);
  return tellerOf([...others, maintenance]);
};

/** All nodes, as pages show them. */
export const nodesNow = ({ objects }: Pick<DrainDeps, 'objects'>): Promise<readonly Node[]> =>
  Array.fromAsync(rowsIn(objects, 'nodes', ''), ({ object }) => object);

/** Outside of windows nodes are read only if a window is announced, or was when the status was written. Resolves to the number of nodes that have one before them. */
export const announceIdle = async (
  deps: DrainDeps,
  maintenance: NodeMaintenance,
  now: EpochMs,
): Promise<number> => {
  const isAnnounced = plannedWindows(maintenance, now, nextStart).length > 0;
  if (!isAnnounced && (maintenance.status?.planned ?? 0) === 0) return 0;
  const nodes = await nodesNow(deps);
  await announce(deps, await tellerWith(deps, maintenance), nodes);
  return plannedIn(maintenance, nodes, now);
};
