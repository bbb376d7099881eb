import { readFleet } from '../../../lambdas/node-monitor/judge/read-fleet.ts';
import type { DynamoBench } from '../dynamodb/dynamodb.ts';
import { onDynamoDb } from '../dynamodb/dynamodb.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { storeFleet } from '../fleet/stored-fleet.ts';
import { FUNCTION_MEMORY_MB, monitorProcess } from './monitor-process.ts';

const NODES = 10_000;
const PASSES = 7;
/** Read units of one pass at 256 MB. */
const MOST_UNITS = 550;

const readFigures = async ({ stores, meter }: DynamoBench): Promise<readonly Figure[]> => {
  meter.take();
  const { nodes, items } = await readFleet(stores, Date.now());
  if (nodes.length !== NODES || items.filter(Boolean).length !== NODES)
    throw new Error('the fleet is not complete');
  const { readUnits, requests } = meter.take();
  return [
    {
      name: `reads of a pass over ${NODES} nodes`,
      unit: 'RRU',
      value: readUnits,
      target: { atMost: MOST_UNITS },
      note: `${requests} requests`,
    },
  ];
};

const processFigures = async ({ stores, endpoint }: DynamoBench): Promise<readonly Figure[]> => {
  const tables = JSON.stringify(stores.deps.tables);
  const report = await monitorProcess({ nodes: NODES, passes: PASSES, endpoint, tables }, { small: true });
  return [
    {
      name: `pass over ${NODES} nodes, DynamoDB Local`,
      unit: 'ms',
      ...spread(report.passMs),
      target: { atMost: 1_000 },
      note: 'both processes on the same two cores',
    },
    {
      name: `peak RSS of that process`,
      unit: 'MB',
      value: report.peakRssMb,
      target: { atMost: FUNCTION_MEMORY_MB },
      note: `heap after GC ${report.heapAfterMb.toFixed(1)} MB`,
    },
  ];
};

/** What one monitor pass reads at 10,000 nodes, and the memory that it takes to read it through the SDK. */
export const monitorReads: Bench = () =>
  onDynamoDb(async (bench) => {
    // The pass reads no bodies, so small ones do.
    await storeFleet(bench.stores, NODES, { images: 0 });
    return [...(await readFigures(bench)), ...(await processFigures(bench))];
  });
