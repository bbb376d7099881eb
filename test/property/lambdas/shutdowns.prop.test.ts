// Nodes that shut down in phases, die in the middle, are cancelled, come back with another boot, tell twice and late, under crashes, stalls, lost,
// late and doubled messages: nobody else evicts what they end, no token is spent on them, and at quiet each workload has just its pods.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/api/core.ts';
import { isEndingWithNode } from '../../../shared/domain/shutdown/end-mark.ts';
import type { ShutdownFacts } from '../../../shared/domain/shutdown/shutdown-facts.ts';
import { isShuttingDown } from '../../../shared/domain/shutdown/shutting-down-node.ts';
import { isActive } from '../../../shared/domain/workloads/pod-state.ts';
import { liveRow } from '../../../shared/ports/rows.ts';
import { unexplained } from './bad-day.ts';
import { allNodes, allPods, SKEW_MS } from './drain-world.ts';
import { aShutdownWorld, type ShutdownWorld, WEB } from './shutdown-world.ts';

const RUNS = 10;
/** How long a run may have read the node before it evicts: it works for ten seconds, and may stall. */
const STALE_MS = 30_000;
const DAY_MS = 900_000;
/** The hourly resync, and time for what follows. */
const QUIET_MS = 3_900_000;
const BY_TAINT = 'DeletionByTaintManager';
const BY_DRAIN = 'EvictionByEvictionAPI';

const isWithin = (shutdown: ShutdownFacts | undefined, at: number, afterMs: number): boolean =>
  shutdown !== undefined && at > shutdown.beganAt + afterMs && at < shutdown.endsAt - SKEW_MS;

const reasonOf = ({ status }: Pod): string =>
  status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason ?? '';

const healthTaints = ({ spec }: Node): number =>
  (spec?.taints ?? []).filter(({ key, effect }) => effect === 'NoExecute' && key.startsWith('node.')).length;

/** What must never have happened, and how many pods were said to end with their node. */
const judge = ({ plane }: ShutdownWorld): { readonly wrongs: readonly string[]; readonly marked: number } => {
  const shutdowns = new Map<string, ShutdownFacts | undefined>();
  const nodes = new Map<string, Node>();
  const pods = new Map<string, Pod>();
  const wrongs: string[] = [];
  let marked = 0;
  for (const { at, change } of plane.commits) {
    const live = change.after && liveRow(change.after);
    const { resource, name } = change.after?.key ?? { resource: '', name: '' };
    if (resource === 'nodes' && live) {
      const was = nodes.get(name);
      const isTainted = was !== undefined && healthTaints(was) === 0 && healthTaints(live.object) > 0;
      if (isTainted && isWithin(shutdowns.get(name), at, SKEW_MS)) wrongs.push(`${at}: ${name} was tainted`);
      nodes.set(name, live.object);
      shutdowns.set(name, live.facts.node?.shutdown);
    }
    if (resource === 'pods' && live) {
      const [was, is] = [pods.get(name), live.object as Pod];
      pods.set(name, is);
      if (isEndingWithNode(is) && !(was && isEndingWithNode(was))) marked += 1;
      const isGoing =
        is.metadata.deletionTimestamp !== undefined && was?.metadata.deletionTimestamp === undefined;
      const shutdown = shutdowns.get(is.spec.nodeName ?? '');
      const staleMs = { [BY_TAINT]: STALE_MS, [BY_DRAIN]: SKEW_MS }[reasonOf(is)];
      if (isGoing && staleMs !== undefined && isWithin(shutdown, at, staleMs))
        wrongs.push(`${at}: ${name} was evicted, ${reasonOf(is)}`);
    }
  }
  return { wrongs, marked };
};

/** Lives through a day. Resolves to the number of pods that were marked. */
const live = async (seed: number): Promise<number> => {
  const world = await aShutdownWorld(seed);
  await world.plane.run(DAY_MS);
  world.calm();
  world.settle();
  await world.plane.run(QUIET_MS);
  const { wrongs, marked } = judge(world);
  expect(wrongs).toEqual([]);
  const pods = await allPods(world.plane);
  expect(pods.filter(isEndingWithNode).map(({ metadata }) => metadata.name)).toEqual([]);
  expect(pods.filter(isActive)).toHaveLength(WEB);
  expect((await allNodes(world.plane)).filter(isShuttingDown)).toEqual([]);
  expect(unexplained(world.plane.failures)).toEqual([]);
  return marked;
};

describe('shutdowns on a bad day', () => {
  it('have each pod replaced, nothing evicted twice, and leave nothing behind (J-130 to J-140)', async () => {
    let marked = 0;
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      marked += await live(seed);
    });
    await fc.assert(property, { numRuns: RUNS });
    expect(marked).toBeGreaterThan(RUNS);
  }, 180_000);
});
