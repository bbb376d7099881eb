import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { toEntryItem } from '../../../shared/adapters/dynamodb/table/items.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { LogEntry } from '../../../shared/ports/store/change-log.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { withDeletion } from '../../../shared/rules/pods/deletion.ts';
import { createLister, type ListRequest } from '../../../shared/store/lists/lists.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter, type ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { aBoundPod } from '../fleet/bound-pod.ts';
import { aKubeletNode, nodeName } from '../fleet/fleet.ts';
import { storeFleet } from '../fleet/stored-fleet.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';

const LISTED = 500;
const PAGE = 100;
/** Write units of one change of a 5 KB node. */
const MOST_UNITS = 12;
/** Apart from the listed ones. */
const NAME = nodeName(90_000);

const markReadyFalse = (node: Node): Node => ({
  ...node,
  status: {
    ...node.status,
    conditions: (node.status?.conditions ?? []).map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: 'False', reason: 'KubeletNotReady' } : condition,
    ),
  },
});

const mutations: Readonly<Record<string, (writer: ObjectWriter) => Promise<unknown>>> = {
  create: (writer) => writer.write(nodeKey(NAME), () => ({ next: aKubeletNode(NAME), writer: 'client' })),
  'status change': (writer) =>
    writer.write(nodeKey(NAME), (row) =>
      row?.state === 'live' ? { next: markReadyFalse(row.object), writer: 'client' } : undefined,
    ),
  delete: (writer) => writer.write(nodeKey(NAME), () => ({ next: 'delete', writer: 'client' })),
};

const deps = { clock: systemClock, ids: systemIds };

const writerOf = (stores: DynamoBench['stores']): ObjectWriter =>
  createObjectWriter({ ...stores, ...deps, capacityEffects: createCapacityEffects(stores.capacity) });

const writeFigures = async ({ stores, meter }: DynamoBench): Promise<readonly Figure[]> => {
  const writer = writerOf(stores);
  // The first write of a minute also writes a floor sample.
  await writer.write(nodeKey(nodeName(90_001)), () => ({
    next: aKubeletNode(nodeName(90_001)),
    writer: 'client',
  }));
  const figures: Figure[] = [];
  for (const [name, mutate] of Object.entries(mutations)) {
    meter.take();
    await mutate(writer);
    const { writeUnits, readUnits } = meter.take();
    const note = `${readUnits} RRU`;
    figures.push({
      name: `${name} of a 5 KB node`,
      unit: 'WRU',
      value: writeUnits,
      target: { atMost: MOST_UNITS },
      note,
    });
  }
  return figures;
};

const podKey = (name: string) => ({ resource: 'pods', namespace: 'default', name });

/** Deletes a bound pod, with the entry of its last state or without, and returns the write units that DynamoDB Local counts. */
const deletePod = async (
  { stores, meter }: DynamoBench,
  name: string,
  twoEntries: boolean,
): Promise<number> => {
  const writer = writerOf(stores);
  await writer.write(podKey(name), () => ({ next: aBoundPod(name), writer: 'client' }));
  meter.take();
  await writer.write(podKey(name), (row, now) => {
    if (row?.state !== 'live') return undefined;
    const lastState = twoEntries ? { lastState: withDeletion(row.object, 0, now) } : {};
    return { next: 'delete', ...lastState, writer: 'client' };
  });
  return meter.take().writeUnits;
};

/** What an entry costs in a transaction of its own. */
const unitsOfEntry = async ({ stores, meter }: DynamoBench, entry: LogEntry): Promise<number> => {
  const { client, tables } = stores.deps;
  const Item = toEntryItem({ ...entry, revision: entry.revision + 1_000_000 });
  meter.take();
  await client.send(
    new TransactWriteCommand({ TransactItems: [{ Put: { TableName: tables.changes, Item } }] }),
  );
  return meter.take().writeUnits;
};

/**
 * What the deletion of a bound pod costs. DynamoDB Local counts one item per table of a transaction, so the entry of the last state
 * is measured in a transaction of its own.
 */
const deletionFigures = async (bench: DynamoBench): Promise<readonly Figure[]> => {
  const { objects } = bench.stores;
  const marked = await deletePod(bench, 'web-1', false);
  const counted = await deletePod(bench, 'web-2', true);
  const last = (await objects.counter('pods'))?.counter ?? 0;
  const preceding = (await objects.slots('pods', last - 1, last)).slots.get(last - 1);
  if (preceding?.slot !== 'entry' || preceding.type !== 'MODIFIED') throw new Error('there is no last state');
  const more = await unitsOfEntry(bench, preceding);
  const name = 'of a bound pod of 5 KB';
  return [
    { name: `deletion ${name} that is marked`, unit: 'WRU', value: marked },
    {
      name: `forced deletion ${name}`,
      unit: 'WRU',
      value: counted + more,
      note: `${more} WRU for its last state`,
    },
  ];
};

const listFigure = async ({ stores, meter }: DynamoBench, name: string, limit?: number): Promise<Figure> => {
  const request: ListRequest = { resource: 'nodes', namespace: '', ...(limit ? { limit } : {}) };
  const lister = createLister({ ...stores, ...deps });
  meter.take();
  const { objects } = await lister.list(request);
  const { readUnits, requests } = meter.take();
  return { name, unit: 'RRU', value: readUnits, note: `${requests} requests, ${objects.length} nodes` };
};

/** What a change and a list of nodes cost. */
export const logUnits: Bench = () =>
  onDynamoDb(async (bench) => {
    await storeFleet(bench.stores, LISTED);
    const lists = [
      await listFigure(bench, `list of ${LISTED} nodes of 5 KB`),
      await listFigure(bench, `page of ${PAGE} of ${LISTED} nodes`, PAGE),
    ];
    return [...(await writeFigures(bench)), ...(await deletionFigures(bench)), ...lists];
  });
