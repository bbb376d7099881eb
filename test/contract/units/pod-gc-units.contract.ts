/** What pod-gc costs on DynamoDB. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { PodGcDeps } from '../../../lambdas/pod-gc/deps.ts';
import { reconcile } from '../../../lambdas/pod-gc/reconcile.ts';
import { sweep } from '../../../lambdas/pod-gc/sweep.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { QUARANTINE_MS } from '../../../shared/rules/pods/pod-gc.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { withHolds } from '../../../shared/store/writer/destruction.ts';
import { createKnownHolds } from '../../../shared/store/writer/known-holds.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { aBoundPod } from '../../bench/fleet/bound-pod.ts';
import { nodeName } from '../../bench/fleet/fleet.ts';
import { podKey } from '../../support/stores/builders.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { type CreateStores, STANDING_CLOCK as clock, type Meter, spentUnits } from './spent-units.ts';

const NODE = nodeName(1);
const TERMINATED = 500;
const NODES = 100;
const AT_ONCE = 8;

const depsOf = (stores: DynamoStores): PodGcDeps => {
  const capacityEffects = createCapacityEffects(stores.capacity);
  const plain = createObjectWriter({ ...stores, clock, ids, capacityEffects });
  const writer = withHolds(plain, createKnownHolds({ ...stores, clock }));
  const given = { recorder: createEventRecorder({ writer, ids }), queues: { send: async () => {} } };
  const config = { terminatedPodGcThreshold: 12_500, nodeMonitorGracePeriodMs: 40_000 };
  return { ...stores, clock, writer, ...given, config };
};

const put = ({ writer }: PodGcDeps, pod: Pod): Promise<unknown> =>
  writer.write(podKey(pod.metadata.name), () => ({ next: pod, writer: 'client' }));

const putNode = ({ writer }: PodGcDeps, name: string): Promise<unknown> => {
  const next: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: ids.uuid(), creationTimestamp: toTime(clock.now()) },
    status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '64', pods: '110' } },
  };
  return writer.write(nodeKey(name), () => ({ next, writer: 'client' }));
};

/** A small pod that has ended. */
const terminated = (index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `ended-${1000 + index}`,
    namespace: 'default',
    uid: ids.uuid(),
    creationTimestamp: toTime(clock.now() - index),
  },
  spec: { nodeName: NODE },
  status: { phase: 'Succeeded' },
});

const indices = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const UID = aBoundPod('p').metadata.uid ?? '';
const POD = { v: 1, kind: 'pod', namespace: 'default', name: 'p', uid: UID } as const;
const GONE = { v: 1, kind: 'node', name: NODE } as const;
const LOOK = { v: 1, kind: 'terminated', isPlanned: true } as const;

/** A node with one pod of 5 KB. */
const prepare = async (stores: DynamoStores): Promise<PodGcDeps> => {
  const deps = depsOf(stores);
  await putNode(deps, NODE);
  await put(deps, aBoundPod('p'));
  return deps;
};

export const podGcUnits = (create: CreateStores, meter: Meter): void => {
  describe('pod-gc pays', () => {
    let deps: PodGcDeps;
    beforeAll(async () => {
      deps = await prepare(await create());
    });
    const spent = (work: () => Promise<unknown>) => spentUnits(meter, work);

    it('2 RRU for a look at a pod of 5 KB on a living node', async () => {
      expect(await spent(() => reconcile(deps, POD))).toEqual({ readUnits: 2, writeUnits: 0 });
    });

    it('3 RRU and 1 WRU when a Node is gone and its quarantine begins', async () => {
      await deps.writer.write(nodeKey(NODE), () => ({ next: 'delete', writer: 'client' }));
      expect(await spent(() => reconcile(deps, GONE))).toEqual({ readUnits: 3, writeUnits: 1 });
    });

    it('4 RRU and 14 WRU when the quarantine ends and its only pod goes', async () => {
      const later = { ...clock, now: () => clock.now() + QUARANTINE_MS };
      const end = () => reconcile({ ...deps, clock: later }, GONE);
      expect(await spent(end)).toEqual({ readUnits: 4, writeUnits: 14 });
    });

    it('9 RRU for a look at 500 terminated pods with names of 10 letters', async () => {
      await inParallel(indices(TERMINATED), AT_ONCE, (index) => put(deps, terminated(index)));
      expect(await spent(() => reconcile(deps, LOOK))).toEqual({ readUnits: 9, writeUnits: 0 });
    });

    it('24 RRU for a sweep over 100 nodes', async () => {
      await inParallel(indices(NODES), AT_ONCE, (index) => putNode(deps, `n${index}`));
      expect(await spent(() => sweep(deps))).toEqual({ readUnits: 24, writeUnits: 0 });
    });
  });
};
