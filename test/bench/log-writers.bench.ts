import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { systemClock } from '../../shared/adapters/system/clock.ts';
import { systemIds } from '../../shared/adapters/system/id-source.ts';
import { StatusError } from '../../shared/api/status-error.ts';
import type { HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import { createObjectWriter, type ObjectWriter } from '../../shared/state/object-writer.ts';
import { onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { isSkipped } from './figures.ts';
import { aKubeletNode, nodeName } from './fleet.ts';

const WRITERS = 50;
/** One node for each writer, and one for two, who get into each other's way. */
const FLEETS = [50, 25] as const;

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
}

interface Counts {
  readonly commits: Map<string, number>;
  tombstones: number;
  refused: number;
}

/** The same log, counting what becomes of commits. */
const counted = (objects: ObjectStore, counts: Counts): ObjectStore => ({
  ...objects,
  commit: async (commit) => {
    const result = await objects.commit(commit);
    counts.commits.set(result.outcome, (counts.commits.get(result.outcome) ?? 0) + 1);
    return result;
  },
  putTombstone: (resource, tombstone) => {
    counts.tombstones += 1;
    return objects.putTombstone(resource, tombstone);
  },
});

const relabel = (writer: ObjectWriter, name: string, value: string): Promise<unknown> =>
  writer.write(nodeKey(name), (row) => {
    const node = row?.state === 'live' ? row.object : aKubeletNode(name);
    const labels = { ...node.metadata.labels, 'example.com/write': value };
    return { next: { ...node, metadata: { ...node.metadata, labels } }, writer: 'client' };
  });

interface Load {
  readonly where: string;
  readonly nodes: number;
  readonly writesEach: number;
}

const writeMany = async (writer: ObjectWriter, id: number, load: Load, counts: Counts): Promise<void> => {
  for (let index = 0; index < load.writesEach; index += 1) {
    try {
      await relabel(writer, nodeName(id % load.nodes), `${id}-${index}`);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      counts.refused += 1;
    }
  }
};

const figureOf = ({ where, nodes, writesEach }: Load, counts: Counts, seconds: number): Figure => {
  const writes = WRITERS * writesEach - counts.refused;
  const conflicts = counts.commits.get('objectConflict') ?? 0;
  return {
    name: `${WRITERS} writers on ${nodes} nodes, ${where}`,
    unit: 'writes/s',
    value: writes / seconds,
    note: `${writes} writes, ${conflicts} conflicts, ${counts.tombstones} tombstones, ${counts.refused} given up`,
  };
};

const measure = async ({ objects, heartbeats }: Stores, load: Load): Promise<Figure> => {
  const counts: Counts = { commits: new Map(), tombstones: 0, refused: 0 };
  const deps = { objects: counted(objects, counts), heartbeats, clock: systemClock, ids: systemIds };
  const writer = createObjectWriter(deps);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, (_, id) => writeMany(writer, id, load, counts)));
  return figureOf(load, counts, (performance.now() - startedAt) / 1000);
};

const measureFleets = async (
  where: string,
  writesEach: number,
  stores: () => Promise<Stores>,
): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  for (const nodes of FLEETS) figures.push(await measure(await stores(), { where, nodes, writesEach }));
  return figures;
};

/** How many changes one resource takes while writers compete. */
export const logWriters: Bench = async () => {
  const inMemory = await measureFleets('in memory', 200, async () => createMemoryState());
  const onDynamo = await onDynamoDb(({ stores }) => measureFleets('DynamoDB Local', 10, async () => stores));
  return isSkipped(onDynamo) ? inMemory : [...inMemory, ...onDynamo];
};
