// Nodes that shut down in phases, die in the middle, are cancelled, come back with another boot, tell twice and late, under crashes, stalls, lost,
// late and doubled messages: nobody else evicts what they end, no token is spent on them, and at quiet each workload has just its pods.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { isEndingWithNode } from '../../../shared/rules/pods/end-mark.ts';
import type { ShutdownFacts } from '../../../shared/rules/shutdown/shutdown-facts.ts';
import { isShuttingDown } from '../../../shared/rules/shutdown/shutting-down-node.ts';
import { isActive } from '../../../shared/rules/workloads/children/pod-state.ts';
import type { Committed } from '../../../simulation/plane/control-plane-types.ts';
import { unexplained } from '../../support/planes/bad-day.ts';
import { allNodes, allPods, SKEW_MS } from '../../support/planes/drain-world.ts';
import { aShutdownWorld, WEB } from './shutdown-world.ts';

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

/** Follows the commits: what must never have happened, and how many pods were said to end with their node. */
const createWitness = () => {
  const nodes = new Map<string, LiveRow>();
  const pods = new Map<string, Pod>();
  const wrongs: string[] = [];
  let marked = 0;
  const shutdownOf = (node = ''): ShutdownFacts | undefined => nodes.get(node)?.facts.node?.shutdown;
  const seeNode = (row: LiveRow, at: number): void => {
    const { name } = row.key;
    const was = nodes.get(name)?.object;
    const isTainted = was !== undefined && healthTaints(was) === 0 && healthTaints(row.object) > 0;
    if (isTainted && isWithin(shutdownOf(name), at, SKEW_MS)) wrongs.push(`${at}: ${name} was tainted`);
    nodes.set(name, row);
  };
  const isEvictedTwice = (was: Pod | undefined, is: Pod, at: number): boolean => {
    const isNews =
      is.metadata.deletionTimestamp !== undefined && was?.metadata.deletionTimestamp === undefined;
    const staleMs = { [BY_TAINT]: STALE_MS, [BY_DRAIN]: SKEW_MS }[reasonOf(is)];
    return isNews && staleMs !== undefined && isWithin(shutdownOf(is.spec.nodeName), at, staleMs);
  };
  const seePod = (is: Pod, at: number): void => {
    const { name } = is.metadata;
    const was = pods.get(name);
    if (isEndingWithNode(is) && !(was && isEndingWithNode(was))) marked += 1;
    if (isEvictedTwice(was, is, at)) wrongs.push(`${at}: ${name} was evicted, ${reasonOf(is)}`);
    pods.set(name, is);
  };
  return {
    wrongs,
    marked: () => marked,
    see: ({ at, change: { after } }: Committed): void => {
      const row = after && liveRow(after);
      if (row?.key.resource === 'nodes') seeNode(row, at);
      if (row?.key.resource === 'pods') seePod(row.object as Pod, at);
    },
  };
};

/** Lives through a day. Resolves to the number of pods that were marked. */
const live = async (seed: number): Promise<number> => {
  const world = await aShutdownWorld(seed);
  await world.plane.run(DAY_MS);
  world.calm();
  world.settle();
  await world.plane.run(QUIET_MS);
  const witness = createWitness();
  for (const commit of world.plane.commits) witness.see(commit);
  expect(witness.wrongs).toEqual([]);
  const pods = await allPods(world.plane);
  expect(pods.filter(isEndingWithNode).map(({ metadata }) => metadata.name)).toEqual([]);
  expect(pods.filter(isActive)).toHaveLength(WEB);
  expect((await allNodes(world.plane)).filter(isShuttingDown)).toEqual([]);
  expect(unexplained(world.plane.failures)).toEqual([]);
  return witness.marked();
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
