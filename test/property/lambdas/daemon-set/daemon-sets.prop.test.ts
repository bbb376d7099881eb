// DaemonSets under races, crashes, lost and repeated messages and lost answers: never two pods on one node beyond what surge allows,
// and at quiet exactly the pods that are wanted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import { byText } from '../../../../shared/kube/text/compare-text.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Workload } from '../../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { targetNode } from '../../../../shared/rules/workloads/daemon-set/daemon-place.ts';
import { hashOfPod } from '../../../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import type { Committed, ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { aNode, ready, taint } from '../../../support/objects/domain-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import { aDaemonSet, templateOf } from '../../../support/planes/daemon-plane.ts';

/**
 * A turn relies on reads that show all of a transaction that was answered, see `owner-turns.prop.test.ts`. Stalls are longer than a turn,
 * so that late commits meet the next one.
 */
const RATES = { ...BAD_DAY, halfVisible: 0, stall: 0.03, stallMs: 60_000 };
const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'];
const ACTS = 30;

const strategyOf = (maxSurge: number, maxUnavailable: number) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});
const SETS: readonly Workload[] = [
  aDaemonSet(
    { ...templateOf('img:0'), ...strategyOf(0, 2), selector: { matchLabels: { app: 'web' } } },
    'roll',
  ),
  aDaemonSet(
    {
      ...strategyOf(2, 0),
      selector: { matchLabels: { app: 'surge' } },
      template: {
        metadata: { labels: { app: 'surge' } },
        spec: { containers: [{ name: 'c', image: 'img:0' }] },
      },
    },
    'surge',
  ),
];

interface World {
  readonly plane: ControlPlane;
  readonly chance: Chance;
  versions: number;
}
type Act = (world: World) => Promise<unknown>;

const oneOf = <T>(chance: Chance, list: readonly T[]): T | undefined =>
  list[Math.floor(chance.upTo(list.length))];

const podsIn = async ({ state }: ControlPlane): Promise<readonly Pod[]> =>
  (await state.objects.page({ resource: 'pods', namespace: 'default' })).rows.map(
    ({ object }) => object as Pod,
  );

const changePod = ({ plane }: World, name: string, to: (pod: Pod) => Pod | 'delete') =>
  plane.writer.write({ resource: 'pods', namespace: 'default', name }, (row) => {
    const pod = liveRow(row)?.object as Pod | undefined;
    return pod && { next: to(pod), writer: 'client' };
  });

const putNode = ({ plane }: World, name: string, text?: string) =>
  plane.writer.write(nodeKey(name), () => ({
    next: aNode({
      name,
      conditions: [ready('True', plane.clock.now())],
      ...(text === undefined ? {} : { taints: [taint(text)] }),
    }),
    writer: 'client',
  }));

const someNode = ({ chance }: World): string => oneOf(chance, NODES) ?? 'n1';

const withSomePod = async (world: World, to: (pod: Pod) => Pod | 'delete'): Promise<void> => {
  const pod = oneOf(world.chance, await podsIn(world.plane));
  if (pod) await changePod(world, pod.metadata.name, to);
};

const newTemplate: Act = (world) => {
  const owner = oneOf(world.chance, SETS);
  world.versions += 1;
  const image = `img:${world.versions % 4}`;
  const name = owner?.metadata.name ?? '';
  return world.plane.writer.write({ resource: 'daemonsets', namespace: 'default', name }, (row) => {
    const stored: Workload | undefined = liveRow(row)?.object;
    const template = stored?.spec?.template;
    if (!stored || !template) return undefined;
    const { generation = 0 } = stored.metadata;
    return {
      next: {
        ...stored,
        metadata: { ...stored.metadata, generation: generation + 1 },
        spec: { ...stored.spec, template: { ...template, spec: { containers: [{ name: 'c', image }] } } },
      },
      writer: 'client',
    };
  });
};

/** What users, nodes and kubelets do meanwhile. */
const CHAOS: readonly Act[] = [
  newTemplate,
  (world) => putNode(world, someNode(world), 'k=v:NoExecute'),
  (world) => putNode(world, someNode(world), 'k=v:NoSchedule'),
  (world) => putNode(world, someNode(world)),
  (world) => world.plane.writer.write(nodeKey(someNode(world)), () => ({ next: 'delete', writer: 'client' })),
  (world) => withSomePod(world, () => 'delete'),
  (world) =>
    withSomePod(world, (pod) => ({ ...pod, status: { ...pod.status, phase: 'Failed', conditions: [] } })),
];

const kubelets = async (world: World): Promise<void> => {
  const { clock } = world.plane;
  for (const pod of await podsIn(world.plane)) {
    const { name, deletionTimestamp } = pod.metadata;
    const nodeName = targetNode(pod);
    if (deletionTimestamp !== undefined) await changePod(world, name, () => 'delete');
    else if (pod.status?.phase === 'Pending' && nodeName !== undefined)
      await changePod(world, name, (one) => ({
        ...one,
        spec: { ...one.spec, nodeName },
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(clock.now()) }],
        },
      }));
  }
};

const actors = async (world: World): Promise<void> => {
  for (let act = 0; act < ACTS; act += 1) {
    await world.plane.clock.sleep(world.chance.upTo(4_000));
    await oneOf(world.chance, CHAOS)?.(world);
    if (world.chance.hit(0.7)) await kubelets(world);
  }
};

/** Nodes where pods of one DaemonSet were at the same time, more than it may have there. */
const crowdedNodes = (commits: readonly Committed[]): readonly string[] => {
  const pods = new Map<string, string>();
  const counts = new Map<string, number>();
  const faults: string[] = [];
  const count = (place: string, more: number): number => {
    const next = (counts.get(place) ?? 0) + more;
    counts.set(place, next);
    return next;
  };
  const placeOf = (pod: Pod): string | undefined => {
    const owner = pod.metadata.ownerReferences?.[0]?.name;
    const hasEnded = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
    // A surging DaemonSet may make a pod while another one is leaving, so those do not count there.
    const isLeaving = owner === 'surge' && pod.metadata.deletionTimestamp !== undefined;
    return owner === undefined || hasEnded || isLeaving ? undefined : `${owner}/${targetNode(pod)}`;
  };
  for (const { change } of commits) {
    const row = change.after ?? change.before;
    if (row?.key.resource !== 'pods') continue;
    const was = pods.get(row.uid);
    if (was !== undefined) count(was, -1);
    pods.delete(row.uid);
    const after = liveRow(change.after);
    const place = after && placeOf(after.object as Pod);
    if (place === undefined) continue;
    pods.set(row.uid, place);
    if (count(place, 1) > (place.startsWith('surge/') ? 2 : 1)) faults.push(place);
  }
  return faults;
};

const expectQuiet = async ({ plane }: World): Promise<void> => {
  const pods = await podsIn(plane);
  for (const { metadata } of SETS) {
    const own = pods.filter((pod) => pod.metadata.ownerReferences?.[0]?.name === metadata.name);
    expect(own.map((pod) => targetNode(pod) ?? '').toSorted(byText), metadata.name).toEqual(NODES);
    expect(new Set(own.map(hashOfPod)).size).toBe(1);
    const row = await plane.state.objects.read({
      resource: 'daemonsets',
      namespace: 'default',
      name: metadata.name,
    });
    const stored: Workload | undefined = liveRow(row)?.object;
    expect(stored?.status).toMatchObject({
      desiredNumberScheduled: 5,
      currentNumberScheduled: 5,
      updatedNumberScheduled: 5,
      numberAvailable: 5,
      numberMisscheduled: 0,
    });
  }
};

/** Nodes and DaemonSets as they are in the beginning. */
const setUp = async (world: World): Promise<void> => {
  const { plane } = world;
  for (const part of ['ticks', 'scheduler', 'flush'] as const) plane.set(part, false);
  await plane.state.ownerEdges.complete();
  for (const name of NODES) await putNode(world, name);
  for (const next of SETS) {
    const key = { resource: 'daemonsets', namespace: 'default', name: next.metadata.name };
    await plane.writer.write(key, () => ({ next, writer: 'client' }));
  }
};

/** All nodes are well, and the hourly resync and the kubelets have done what they do. */
const settle = async (world: World): Promise<void> => {
  const { plane } = world;
  for (const name of NODES) await putNode(world, name);
  await plane.run(2 * 3_600_000);
  for (let round = 0; round < 40; round += 1) {
    await kubelets(world);
    await plane.run(5_000);
  }
};

const isNewPod = ({ change: { before, after } }: Committed): boolean =>
  !before && after?.key.resource === 'pods';

describe('DaemonSets with faults', () => {
  it('have at most the pods that surge allows on a node, and at quiet those that are wanted (W-109, W-116, W-117)', async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = createBadDay(seed, RATES);
        const { plane } = day;
        const world: World = { plane, chance: day.chance.fork(), versions: 0 };
        await setUp(world);
        const acting = Promise.all([actors(world), actors(world)]);
        await plane.run(300_000);
        await acting;
        day.calm();
        await settle(world);
        expect(crowdedNodes(plane.commits)).toEqual([]);
        await expectQuiet(world);
        expect(unexplained(plane.failures)).toEqual([]);
        made += plane.commits.filter(isNewPod).length;
      }),
      { numRuns: 20 },
    );
    // The runs meet what they are about.
    expect(made).toBeGreaterThan(40);
  });
});
