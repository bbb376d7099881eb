/** What a look at a DaemonSet on many nodes reads from DynamoDB. */
import { type DaemonSetDeps, reconcile } from '../../../lambdas/daemon-set/reconcile.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { aReadyNode, daemonSetKey, storeDaemonFleet } from '../fleet/daemon-fleet.ts';
import { nodeName, uidOf } from '../fleet/fleet.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';

const NODES = 1_000;
/** The emulator handles one request at a time. */
const AT_ONCE = 8;

const depsOf = ({ stores }: DynamoBench): DaemonSetDeps => {
  const capacityEffects = createCapacityEffects(stores.capacity);
  const writer = createObjectWriter({ ...stores, clock, ids, capacityEffects });
  return {
    ...stores,
    clock,
    ids,
    writer,
    queues: { send: async () => undefined },
    recorder: createEventRecorder({ writer, ids }),
    config: { defaultTolerationSeconds: 300, enableAdmissionPlugins: [] },
  };
};

const figures = async (bench: DynamoBench): Promise<readonly Figure[]> => {
  const deps = depsOf(bench);
  await storeDaemonFleet(deps.writer, NODES, 1, AT_ONCE);
  await bench.stores.ownerEdges.complete();
  const look = async (): Promise<number> => {
    bench.meter.take();
    const { namespace, name } = daemonSetKey(0);
    await reconcile(deps, { v: 1, kind: 'owner', namespace, name, uid: uidOf(name) });
    return bench.meter.take().readUnits;
  };
  await look();
  const quiet = await look();
  const next = aReadyNode(NODES);
  await deps.writer.write(nodeKey(nodeName(NODES)), () => ({ next, writer: 'client' }));
  const joined = await look();
  return [
    { name: `a look at a DaemonSet on ${NODES} nodes`, unit: 'RRU', value: quiet },
    { name: 'the same, which makes a pod for a new node', unit: 'RRU', value: joined },
  ];
};

/** What DaemonSets cost on many nodes. */
export const daemonUnits: Bench = () => onDynamoDb(figures);
