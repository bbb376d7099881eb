/** Finds what a lost message left. */
import type { Node } from '../../shared/api/core.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { withoutDrainConditions } from '../../shared/domain/drain/drain-progress.ts';
import { drainRequestOf } from '../../shared/domain/drain/node-drain.ts';
import { rowsIn } from '../../shared/state/row-pages.ts';
import type { DrainDeps } from './deps.ts';
import { isLost, plannedLooks } from './planned-looks.ts';
import { DRAIN_QUEUE } from './queue.ts';

const MINUTE_MS = 60_000;
/** All Nodes are read by one sweep of so many. */
const SWEEPS_PER_SCAN = 60;

export interface SweepReport {
  /** Nodes that drain, and are neither drained nor given up. */
  readonly draining: number;
}

const isScan = (now: EpochMs): boolean => Math.floor(now / MINUTE_MS) % SWEEPS_PER_SCAN === 0;

/** Nodes with a request, and nodes whose conditions tell of one that is gone. */
const concerned = async ({ objects }: DrainDeps): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const { key, object } of rowsIn(objects, 'nodes', '')) {
    const node = object as Node;
    if (drainRequestOf(node) || withoutDrainConditions(node) !== node) names.push(key.name);
  }
  return names;
};

/** Queues the nodes whose planned look is overdue and, once an hour, all nodes that drain. */
export const sweep = async (deps: DrainDeps): Promise<SweepReport> => {
  const looks = await plannedLooks(deps);
  const now = deps.clock.now();
  const lost = looks.filter((look) => isLost(look, now)).map(({ name }) => name);
  const names = new Set(isScan(now) ? [...lost, ...(await concerned(deps))] : lost);
  await deps.queues.send(
    DRAIN_QUEUE.name,
    [...names].map((name) => ({ body: { v: 1, kind: 'node', name } })),
  );
  return { draining: looks.length };
};
