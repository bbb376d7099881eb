import { createCapacityMeter } from '../../../shared/adapters/dynamodb/table/capacity.ts';
import { SKIPPED, startDynamoDb } from '../../support/stores/dynamodb-local.ts';
import { type DynamoStores, dynamoStoresAt } from '../../support/stores/dynamodb-stores.ts';
import type { Figure, Findings } from '../figures/figures.ts';

export type Meter = ReturnType<typeof createCapacityMeter>;

export interface DynamoBench {
  readonly stores: DynamoStores;
  /** Counts what the stores consume. */
  readonly meter: Meter;
  readonly endpoint: string;
}

/** Measures on fresh tables of DynamoDB Local, and takes them and the process away again. */
export const onDynamoDb = async (
  measure: (bench: DynamoBench) => Promise<readonly Figure[]>,
): Promise<Findings> => {
  const running = await startDynamoDb();
  if (!running) return { skipped: SKIPPED };
  const meter = createCapacityMeter();
  const { create, dispose } = dynamoStoresAt(running.endpoint, meter.observe);
  try {
    return await measure({ stores: await create(), meter, endpoint: running.endpoint });
  } finally {
    await dispose();
    await running.stop();
  }
};
