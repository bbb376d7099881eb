import type { createCapacityMeter } from '../../../shared/adapters/dynamodb/table/capacity.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';

export type Meter = ReturnType<typeof createCapacityMeter>;
/** Makes stores over fresh tables. */
export type CreateStores = () => Promise<DynamoStores>;

export interface SpentUnits {
  readonly readUnits: number;
  readonly writeUnits: number;
}

const NOW = Date.now();

/** A clock that stands: the first write of a resource in a minute also writes a sample of the log's floor. */
export const STANDING_CLOCK = { ...systemClock, now: () => NOW };

/** What DynamoDB counts for the work. */
export const spentUnits = async (meter: Meter, work: () => Promise<unknown>): Promise<SpentUnits> => {
  meter.take();
  await work();
  const { readUnits, writeUnits } = meter.take();
  return { readUnits, writeUnits };
};
