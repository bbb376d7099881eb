/** One invocation of the scheduler on DynamoDB, in a new process: how many pods it places, and what a bind costs. */
import { reconcile } from '../../../lambdas/scheduler/reconcile.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { podKey } from '../../support/stores/builders.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { aBoundPod } from '../fleet/bound-pod.ts';
import { aReadyNode } from '../fleet/daemon-fleet.ts';
import { nodeName } from '../fleet/fleet.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';

const NODES = 100;
const PODS = 300;
const LEAST_PODS = 200;
/** The emulator handles one request at a time. */
const AT_ONCE = 8;
const MIB = 2 ** 20;

const indices = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const aPendingPod = (name: string): Pod => {
  const pod = aBoundPod(name);
  const { nodeName: _bound, ...spec } = pod.spec;
  return { ...pod, spec, status: { phase: 'Pending' } };
};

const figures = async ({ stores, meter }: DynamoBench): Promise<readonly Figure[]> => {
  const capacityEffects = createCapacityEffects(stores.capacity);
  const writer = createObjectWriter({ ...stores, clock, ids, capacityEffects });
  const recorder = createEventRecorder({ writer, ids });
  const queues = { send: async () => undefined };
  const deps = { ...stores, clock, ids, writer, recorder, queues, schedulerName: 'default-scheduler' };
  await inParallel(indices(NODES), AT_ONCE, (index) =>
    writer.write(nodeKey(nodeName(index)), () => ({ next: aReadyNode(index), writer: 'client' })),
  );
  await stores.capacitySweep.store({ version: 1, leaseUntil: 0, isClean: true, isReconciled: true });
  await inParallel(indices(PODS), AT_ONCE, (index) =>
    writer.write(podKey(`web-${index}`), () => ({ next: aPendingPod(`web-${index}`), writer: 'client' })),
  );
  meter.take();
  const startedAt = performance.now();
  const report = await reconcile(deps, { v: 1, kind: 'pod' });
  const seconds = (performance.now() - startedAt) / 1_000;
  const { readUnits, writeUnits } = meter.take();
  const { heapUsed } = process.memoryUsage();
  return [
    {
      name: 'pods placed by one invocation',
      unit: 'pods',
      value: report.scheduled,
      target: { atLeast: LEAST_PODS },
    },
    { name: 'its time, on the emulator', unit: 's', value: seconds },
    { name: 'heap of the process with it', unit: 'MB', value: heapUsed / MIB },
    {
      name: 'reads per bound pod, with those of a new process',
      unit: 'RRU',
      value: readUnits / report.scheduled,
    },
    {
      name: 'writes per bound pod of 5 KB, with its Event',
      unit: 'WRU',
      value: writeUnits / report.scheduled,
    },
  ];
};

/** What placing pods costs on DynamoDB. */
export const schedulerUnits: Bench = () => onDynamoDb(figures);
