/** Finds what a lost message left. */
import type { Node } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Sighting } from '../../shared/ports/store/control-store.ts';
import { withoutDrainConditions } from '../../shared/rules/drain/drain-progress.ts';
import { drainRequestOf } from '../../shared/rules/drain/node-drain.ts';
import { maintenanceNameOf, maintenanceOf } from '../../shared/rules/drain/node-in-maintenance.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import type { DrainDeps } from './deps.ts';
import { allMaintenances, announce, type TellMaintenance, tellerOf } from './nodes/announce.ts';
import { isLost, plannedLooks } from './planned-looks.ts';
import { DRAIN_QUEUE } from './queue.ts';

const MINUTE_MS = 60_000;
/** All Nodes are read by one sweep of so many. */
const SWEEPS_PER_SCAN = 10;

export interface SweepReport {
  /** Nodes that drain, and are neither drained nor given up. */
  readonly draining: number;
}

const isScan = (now: EpochMs): boolean => Math.floor(now / MINUTE_MS) % SWEEPS_PER_SCAN === 0;

/** What all Nodes show. */
interface Scan {
  /** Names of the nodes with a request, and of those whose conditions tell of one that is gone. */
  readonly nodes: readonly string[];
  /** Names of the NodeMaintenances that nodes are in progress of, whether or not their statuses say so. */
  readonly maintenances: readonly string[];
  /** Nodes whose conditions do not tell of their maintenance as it is. */
  readonly mistold: readonly Node[];
}

const NO_SCAN: Scan = { nodes: [], maintenances: [], mistold: [] };

const goingIn = (node: Node): readonly string[] => {
  const record = maintenanceOf(node);
  return record?.phase === 'InProgress' ? [maintenanceNameOf(record) ?? ''] : [];
};

const scan = async ({ objects, clock }: DrainDeps, tell: TellMaintenance): Promise<Scan> => {
  const nodes: string[] = [];
  const mistold: Node[] = [];
  const now = clock.now();
  const going = new Set<string>();
  for await (const { key, object } of rowsIn(objects, 'nodes', '')) {
    const node = object as Node;
    if (drainRequestOf(node) || withoutDrainConditions(node) !== node) nodes.push(key.name);
    for (const name of goingIn(node)) going.add(name);
    if (tell(node, now) !== node) mistold.push(node);
  }
  return { nodes, maintenances: [...going], mistold };
};

const lostIn = (looks: readonly Sighting[], now: EpochMs): readonly string[] =>
  looks.filter((look) => isLost(look, now)).map(({ name }) => name);

const send = (
  { queues }: DrainDeps,
  kind: 'node' | 'maintenance',
  names: readonly string[],
  more: { readonly hasNodes?: true } = {},
): Promise<void> =>
  queues.send(
    DRAIN_QUEUE.name,
    [...new Set(names)].map((name) => ({ body: { v: 1, kind, name, ...more } })),
  );

/** Queues the nodes whose planned look is overdue and, each ten minutes, all nodes that drain; NodeMaintenances likewise, and each time those without a planned look. Each ten minutes it corrects the conditions that tell of maintenance. */
export const sweep = async (deps: DrainDeps): Promise<SweepReport> => {
  const looks = await plannedLooks(deps, 'drain');
  const windows = await plannedLooks(deps, 'maintenance');
  const now = deps.clock.now();
  const all = await allMaintenances(deps);
  const tell = tellerOf(all);
  const scanned = isScan(now) ? await scan(deps, tell) : NO_SCAN;
  await send(deps, 'node', [...lostIn(looks, now), ...scanned.nodes]);
  await send(deps, 'maintenance', scanned.maintenances, { hasNodes: true });
  const planned = new Set(windows.map(({ name }) => name));
  const names = all.map(({ metadata }) => metadata.name);
  const unplanned = names.filter((name) => isScan(now) || !planned.has(name));
  await send(deps, 'maintenance', [...lostIn(windows, now), ...unplanned]);
  await announce(deps, tell, scanned.mistold);
  return { draining: looks.length };
};
