import type { PodGcDeps } from '../../lambdas/pod-gc/deps.ts';
import type { PodGcMessage } from '../../lambdas/pod-gc/message.ts';
import { reconcile } from '../../lambdas/pod-gc/reconcile.ts';
import { sweep } from '../../lambdas/pod-gc/sweep.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import type { Node, Pod } from '../../shared/api/core.ts';
import { toTime } from '../../shared/api/time.ts';
import { QUARANTINE_MS } from '../../shared/domain/pods/pod-gc.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import { createCapacityEffects } from '../../shared/state/capacity-effects.ts';
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import { sqliteStates } from '../support/sqlite-folders.ts';
import { aBoundPod } from './bound-pod.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { nodeName } from './fleet.ts';

const TERMINATED = 2_000;
const KEPT = 12_500;
const MANY = 100_000;
const NODES = 500;
const AT_ONCE = 32;
const NODE = nodeName(1);
const LOOK = { v: 1, kind: 'terminated', isPlanned: true } as const;

type Stores = Omit<PodGcDeps, 'clock' | 'queues' | 'writer' | 'recorder' | 'config'> &
  Pick<DynamoBench['stores'], 'objects' | 'heartbeats' | 'capacity'>;

const depsOf = (stores: Stores, terminatedPodGcThreshold: number, podsAtOnce?: number) => {
  const capacityEffects = createCapacityEffects(stores.capacity);
  const writer = createObjectWriter({ ...stores, clock, ids, capacityEffects });
  const sent: PodGcMessage[] = [];
  const send = async (_queue: string, messages: readonly { readonly body: unknown }[]): Promise<void> => {
    sent.push(...messages.map(({ body }) => body as PodGcMessage));
  };
  const given = { recorder: createEventRecorder({ writer, ids }), queues: { send }, sent };
  const config = { terminatedPodGcThreshold, nodeMonitorGracePeriodMs: 40_000 };
  return { ...stores, clock, ids, writer, ...given, config, ...(podsAtOnce ? { podsAtOnce } : {}) };
};

type Deps = ReturnType<typeof depsOf>;

const podKey = (name: string) => ({ resource: 'pods', namespace: 'default', name });

const put = ({ writer }: Deps, pod: Pod): Promise<unknown> =>
  writer.write(podKey(pod.metadata.name), () => ({ next: pod, writer: 'client' }));

const putNode = ({ writer }: Deps, name: string): Promise<unknown> => {
  const next: Node = {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name, uid: ids.uuid(), creationTimestamp: toTime(clock.now()) },
    status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '64', pods: '110' } },
  };
  return writer.write(nodeKey(name), () => ({ next, writer: 'client' }));
};

/** A small pod that has ended. */
const terminated = (index: number): Pod => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    ...{ name: `ended-${index}`, namespace: 'default', uid: ids.uuid() },
    creationTimestamp: toTime(clock.now() - index),
  },
  spec: { nodeName: NODE },
  status: { phase: 'Succeeded' },
});

const fill = (deps: Deps, count: number): Promise<unknown> =>
  inParallel(
    Array.from({ length: count }, (_, index) => index),
    AT_ONCE,
    (index) => put(deps, terminated(index)),
  );

const unitsIn = async (
  { meter }: DynamoBench,
  name: string,
  work: () => Promise<unknown>,
): Promise<readonly Figure[]> => {
  meter.take();
  await work();
  const { readUnits, writeUnits } = meter.take();
  return [
    { name, unit: 'RRU', value: readUnits },
    { name: 'the same', unit: 'WRU', value: writeUnits },
  ];
};

const onDynamo = async (bench: DynamoBench): Promise<readonly Figure[]> => {
  const deps = depsOf(bench.stores, KEPT);
  const pod = aBoundPod('p');
  const message = {
    v: 1,
    kind: 'pod',
    namespace: 'default',
    name: 'p',
    uid: pod.metadata.uid ?? '',
  } as const;
  const node = { v: 1, kind: 'node', name: NODE } as const;
  await putNode(deps, NODE);
  await put(deps, pod);
  const serving = await unitsIn(bench, 'a look at a pod of 5 KB on a node', () => reconcile(deps, message));
  await deps.writer.write(nodeKey(NODE), () => ({ next: 'delete', writer: 'client' }));
  const begins = await unitsIn(bench, 'a quarantine begins', () => reconcile(deps, node));
  const later = { ...clock, now: () => clock.now() + QUARANTINE_MS };
  const ends = await unitsIn(bench, 'it ends, and the pod goes', () =>
    reconcile({ ...deps, clock: later }, node),
  );
  await fill(deps, TERMINATED);
  const looks = await unitsIn(bench, 'a look at 2,000 terminated pods', () => reconcile(deps, LOOK));
  for (let index = 0; index < NODES; index += 1) await putNode(deps, `n${index}`);
  const sweeps = await unitsIn(bench, 'a sweep over 500 nodes', () => sweep(deps));
  return [...serving, ...begins, ...ends, ...looks, ...sweeps];
};

/** Works until nothing is left to do. Resolves to the number of runs. */
const work = async (deps: Deps): Promise<number> => {
  let runs = 0;
  deps.sent.push(LOOK);
  for (let next = deps.sent.shift(); next; next = deps.sent.shift()) {
    await reconcile(deps, next);
    runs += 1;
  }
  return runs;
};

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await run();
  return (performance.now() - startedAt) / 1_000;
};

const onSqlite: Bench = async ({ large }) => {
  const count = large ? MANY : 4 * KEPT;
  const { open, dispose } = sqliteStates();
  try {
    const state = open(clock);
    const deps = depsOf(state, KEPT, 256);
    await fill(deps, count);
    let runs = 0;
    const all = await timed(async () => {
      runs = await work(deps);
    });
    const one = await timed(() => reconcile(deps, LOOK));
    const left = (await Array.fromAsync(state.objects.terminatedPods())).flatMap(({ value }) => value).length;
    return [
      {
        name: `${count} terminated pods become ${left}, SQLite`,
        unit: 's',
        value: all,
        note: `${runs} runs`,
      },
      { name: 'a look at those', unit: 's', value: one },
    ];
  } finally {
    dispose();
  }
};

/** What pod-gc costs, and how long it takes to delete very many terminated pods. */
export const podGcUnits: Bench = () => onDynamoDb(onDynamo);
export const podGcSeconds: Bench = onSqlite;
