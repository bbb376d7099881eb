import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { systemClock } from '../../shared/adapters/system/clock.ts';
import { systemIds } from '../../shared/adapters/system/id-source.ts';
import { StatusError } from '../../shared/api/status-error.ts';
import type { HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';
import { createObjectWriter, type ObjectWriter } from '../../shared/state/object-writer.ts';
import { nodeKey } from '../contract/builders.ts';
import { onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { isSkipped } from './figures.ts';
import { aKubeletNode, nodeName } from './fleet.ts';

const WRITERS = 50;
/** Two writers for each node, so that they get into each other's way. */
const NODES = 25;

interface Stores {
  readonly log: ObjectLog;
  readonly heartbeats: HeartbeatStore;
}

interface Counts {
  readonly commits: Map<string, number>;
  tombstones: number;
  refused: number;
}

/** The same log, counting what becomes of commits. */
const counted = (log: ObjectLog, counts: Counts): ObjectLog => ({
  ...log,
  commit: async (commit) => {
    const result = await log.commit(commit);
    counts.commits.set(result.outcome, (counts.commits.get(result.outcome) ?? 0) + 1);
    return result;
  },
  putTombstone: (resource, tombstone) => {
    counts.tombstones += 1;
    return log.putTombstone(resource, tombstone);
  },
});

const relabel = (writer: ObjectWriter, name: string, value: string): Promise<unknown> =>
  writer.write(nodeKey(name), (row) => {
    const node = row?.state === 'live' ? row.object : aKubeletNode(name);
    const labels = { ...node.metadata.labels, 'example.com/write': value };
    return { next: { ...node, metadata: { ...node.metadata, labels } }, writer: 'client' };
  });

const writeMany = async (writer: ObjectWriter, id: number, writes: number, counts: Counts): Promise<void> => {
  for (let index = 0; index < writes; index += 1) {
    try {
      await relabel(writer, nodeName(id % NODES), `${id}-${index}`);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      counts.refused += 1;
    }
  }
};

const measure = async (
  where: string,
  { log, heartbeats }: Stores,
  writesEach: number,
): Promise<readonly Figure[]> => {
  const counts: Counts = { commits: new Map(), tombstones: 0, refused: 0 };
  const deps = { log: counted(log, counts), heartbeats, clock: systemClock, ids: systemIds };
  const writer = createObjectWriter(deps);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, (_, id) => writeMany(writer, id, writesEach, counts)));
  const seconds = (performance.now() - startedAt) / 1000;
  const writes = WRITERS * writesEach - counts.refused;
  const name = `${WRITERS} writers on ${NODES} nodes, ${where}`;
  return [
    { name, unit: 'writes/s', value: writes / seconds, note: `${writes} writes, ${counts.refused} given up` },
    { name: `${name}: conflicts`, unit: 'commits', value: counts.commits.get('objectConflict') ?? 0 },
    { name: `${name}: tombstones`, unit: 'slots', value: counts.tombstones },
  ];
};

/** How many changes one resource takes while writers compete. */
export const logWriters: Bench = async () => {
  const inMemory = await measure('in memory', createMemoryState(), 200);
  const onDynamo = await onDynamoDb(({ stores }) => measure('DynamoDB Local', stores, 10));
  return isSkipped(onDynamo) ? inMemory : [...inMemory, ...onDynamo];
};
