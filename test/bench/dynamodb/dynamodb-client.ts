import type { ObserveCapacity } from '../../../shared/adapters/dynamodb/table/capacity.ts';
import { createDocumentClient } from '../../../shared/adapters/dynamodb/table/client.ts';
import type { TableNames } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import { type DynamoStores, dynamoStores } from '../../support/stores/dynamodb-stores.ts';

/** Never an account's: an emulator takes any. */
const EMULATOR = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

/** Stores over tables that another process has made. */
export const dynamoStoresOver = (
  endpoint: string,
  tables: TableNames,
  onCapacity?: ObserveCapacity,
): DynamoStores =>
  dynamoStores({
    client: createDocumentClient({ ...EMULATOR, endpoint, ...(onCapacity ? { onCapacity } : {}) }),
    tables,
    clock: systemClock,
    ids: systemIds,
  });
