import { systemClock } from '../../shared/adapters/system/clock.ts';
import { systemIds } from '../../shared/adapters/system/id-source.ts';
import type { Node } from '../../shared/api/core.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import { createLister, type ListRequest } from '../../shared/state/lists.ts';
import { createObjectWriter, type ObjectWriter } from '../../shared/state/object-writer.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { aKubeletNode, nodeName } from './fleet.ts';
import { storeFleet } from './stored-fleet.ts';

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

const writeFigures = async ({ stores, meter }: DynamoBench): Promise<readonly Figure[]> => {
  const writer = createObjectWriter({ ...stores, ...deps });
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
    return [...(await writeFigures(bench)), ...lists];
  });
