/** Compares the counters of nodes with their claims, and repairs them where a difference lasts. */

import type { Clock } from '../../ports/process/clock.ts';
import type { CapacityStore, NodeCounters } from '../../ports/store/capacity.ts';
import type { CapacitySweepStore } from '../../ports/store/capacity-sweep.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import type { Counters, StoredCounters } from '../../rules/scheduling/node-counters.ts';
import { countersOff, rightCounters, withoutFreePorts } from '../../rules/scheduling/node-counters.ts';
import { NO_RESOURCES } from '../../rules/scheduling/pods/resources.ts';
import { inParallel } from '../turns/in-parallel.ts';

const NODES_AT_ONCE = 8;

/** What a comparison needs. */
export interface RepairCountersDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'lag'>;
  readonly capacity: CapacityStore;
  readonly capacitySweep: Pick<CapacitySweepStore, 'replaceCounters'>;
  readonly clock: Clock;
}

/** What was stored of a node, and what should be. */
interface Look {
  readonly node: string;
  readonly read: NodeCounters;
  readonly right: StoredCounters | undefined;
  /** What has to be added to the counters. */
  readonly off: Counters;
}

/** A repair of the counters of one node. */
export interface CounterRepair {
  readonly node: string;
  /** What was added to the counters, by name. */
  readonly added: Counters;
  /** `unknown`: it was refused, or its answer was lost. The next sweep looks again. */
  readonly outcome: 'repaired' | 'unknown';
}

const NOTHING: NodeCounters = { counters: NO_RESOURCES, writes: 0 };

/** The number of writes is read first: a repair is conditional on it, so nothing that comes later is lost. */
const lookAt = async ({ objects, capacity }: RepairCountersDeps, node: string): Promise<Look> => {
  const read = (await capacity.counters(node)) ?? NOTHING;
  const hasNode = liveRow(await objects.read(nodeKey(node))) !== undefined;
  const right = rightCounters(read, await capacity.allClaims(node), hasNode);
  return { node, read, right, off: countersOff(read, right) };
};

const isRight = ({ read, right, off }: Look): boolean =>
  right ? off.size === 0 && right.digest === read.digest : read.writes === 0;

/** Removes counters of ports that are free. Right as they are, they are no repair. */
const tidy = async ({ capacitySweep }: RepairCountersDeps, { node, read }: Look): Promise<void> => {
  const counters = withoutFreePorts(read.counters);
  if (counters !== read.counters) await capacitySweep.replaceCounters(node, read, { ...read, counters });
};

const hasSameCounters = (a: Counters, b: Counters): boolean =>
  a.size === b.size && [...a].every(([name, amount]) => b.get(name) === amount);

/** Whether the same is wrong with the same counters: equal numbers of writes mean that nothing was written. */
const isSame = (a: Look, b: Look): boolean =>
  a.read.writes === b.read.writes &&
  (a.right === undefined) === (b.right === undefined) &&
  a.right?.digest === b.right?.digest &&
  hasSameCounters(a.off, b.off);

/** Looks a second time, and repairs if nothing was written since the first look and the same is wrong. */
const repair = async (deps: RepairCountersDeps, first: Look): Promise<readonly CounterRepair[]> => {
  const { node } = first;
  const second = await lookAt(deps, node);
  if (!isSame(first, second)) return [];
  const outcome = await deps.capacitySweep.replaceCounters(node, second.read, second.right);
  return [{ node, added: second.off, outcome: outcome === 'written' ? 'repaired' : 'unknown' }];
};

/**
 * Compares the counters of these nodes with the sums of their claims. Claims may be read as they were some seconds ago, so what
 * differs is looked at again after that time, once for all nodes, and repaired only if nothing has changed the counters in between.
 * Counters of a name without Node and claims are deleted.
 */
export const repairCounters = async (
  deps: RepairCountersDeps,
  nodes: readonly string[],
): Promise<readonly CounterRepair[]> => {
  const looks = await inParallel(nodes, NODES_AT_ONCE, (node) => lookAt(deps, node));
  await inParallel(looks.filter(isRight), NODES_AT_ONCE, (look) => tidy(deps, look));
  const doubts = looks.filter((look) => !isRight(look));
  if (doubts.length === 0) return [];
  await deps.clock.sleep(deps.objects.lag.tableMs);
  return (await inParallel(doubts, NODES_AT_ONCE, (doubt) => repair(deps, doubt))).flat();
};
