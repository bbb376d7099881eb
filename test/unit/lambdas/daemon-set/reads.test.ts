// What a look at a DaemonSet reads: summaries of its pods, and pods only where there is none.
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { DYNAMODB_LAG } from '../../../../shared/ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../../../shared/ports/store/owner-edges.ts';
import { targetNode } from '../../../../shared/rules/workloads/daemon-set/daemon-place.ts';
import type { ControlPlaneOptions, Invocation } from '../../../../simulation/plane/control-plane-types.ts';
import { aDaemonPlane, aDaemonSet, templateOf } from '../../../support/planes/daemon-plane.ts';

const SETS = 'daemonsets';
const NODES = Array.from({ length: 40 }, (_, index) => `n${index}`);

/** Counts reads of pods by controllers. */
const countingReads = () => {
  const reads: string[] = [];
  const invocation = (ports: Invocation): Invocation => {
    const read: Invocation['objects']['read'] = (key) => {
      if (key.resource === 'pods') reads.push(key.name);
      return ports.objects.read(key);
    };
    return { ...ports, objects: { ...ports.objects, read } };
  };
  return { reads, invocation };
};

const withDaemons = async (options: ControlPlaneOptions, nodes: readonly string[] = NODES) => {
  const plane = await aDaemonPlane(nodes, options);
  await plane.put(SETS, aDaemonSet(templateOf('img:1')));
  await plane.rounds(3);
  return plane;
};

describe('a look at a DaemonSet', () => {
  it('reads no pods of other nodes when a node joins (K-29)', async () => {
    const { reads, invocation } = countingReads();
    const plane = await withDaemons({ invocation });
    const others = (await plane.pods()).map(({ metadata }) => metadata.name);
    expect(others).toHaveLength(40);
    reads.length = 0;
    await plane.putNode('new');
    await plane.rounds(3);
    expect(await plane.places()).toContain('new');
    expect(await plane.statusOf()).toMatchObject({ desiredNumberScheduled: 41, numberAvailable: 41 });
    expect(reads.filter((name) => others.includes(name))).toEqual([]);
  });

  it('reads the pods whose edges have no summary (K-29)', async () => {
    const { reads, invocation } = countingReads();
    const withoutSummary = (ports: Invocation): Invocation => {
      const dependents: OwnerEdgeStore['dependents'] = async (query) => {
        const page = await ports.ownerEdges.dependents(query);
        return { ...page, dependents: page.dependents.map(({ summary: _none, ...edge }) => edge) };
      };
      return invocation({ ...ports, ownerEdges: { ...ports.ownerEdges, dependents } });
    };
    const plane = await withDaemons({ invocation: withoutSummary }, ['n1', 'n2']);
    expect(await plane.statusOf()).toMatchObject({ desiredNumberScheduled: 2, numberAvailable: 2 });
    const names = (await plane.pods()).map(({ metadata }) => metadata.name);
    expect(new Set(reads)).toEqual(new Set(names));
  });

  it('is repeated where summaries lag behind pods, after that time (K-29)', async () => {
    let frozen: Awaited<ReturnType<OwnerEdgeStore['dependents']>> | undefined;
    const lagging = (ports: Invocation): Invocation => ({
      ...ports,
      objects: { ...ports.objects, lag: DYNAMODB_LAG },
      ownerEdges: {
        ...ports.ownerEdges,
        dependents: async (query) =>
          (query.resource === 'pods' ? frozen : undefined) ?? ports.ownerEdges.dependents(query),
      },
    });
    const plane = await withDaemons({ invocation: lagging }, ['n1']);
    await plane.rounds(30);
    const [pod] = await plane.pods();
    const uid = aDaemonSet().metadata.uid ?? '';
    frozen = await plane.state.ownerEdges.dependents({ owner: uid, resource: 'pods', limit: 10 });
    await plane.change<Pod>('pods', pod?.metadata.name ?? '', () => 'delete');
    await plane.run(DYNAMODB_LAG.tableMs - 1_000);
    expect(await plane.pods()).toEqual([]);
    frozen = undefined;
    await plane.run(5_000);
    expect((await plane.pods()).map(targetNode)).toEqual(['n1']);
  });

  it('deletes no pod that has changed since its summary was read', async () => {
    const afterReads: (() => Promise<unknown>)[] = [];
    const racing = (ports: Invocation): Invocation => ({
      ...ports,
      ownerEdges: {
        ...ports.ownerEdges,
        dependents: async (query) => {
          const page = await ports.ownerEdges.dependents(query);
          if (query.resource === 'pods') await afterReads.shift()?.();
          return page;
        },
      },
    });
    const plane = await withDaemons({ invocation: racing }, ['n1']);
    const [pod] = await plane.pods();
    const name = pod?.metadata.name ?? '';
    const toPhase = (phase: 'Failed' | 'Running') =>
      plane.change<Pod>('pods', name, (one) => ({ ...one, status: { ...one.status, phase } }));
    await toPhase('Failed');
    // The second read is that of the turn that deletes: the pod runs again as soon as it was read.
    afterReads.push(
      async () => undefined,
      () => toPhase('Running'),
    );
    await plane.run(5_000);
    expect(afterReads).toEqual([]);
    expect((await plane.pods()).map(({ metadata }) => [metadata.name, metadata.deletionTimestamp])).toEqual([
      [name, undefined],
    ]);
  });
});
