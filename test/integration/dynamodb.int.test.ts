/**
 * What the emulator of AWS in front of DynamoDB could change: large items and pages, why a transaction was cancelled, consumed capacity,
 * and twenty schedulers that race. The other contracts of the stores run on DynamoDB Local, which is the engine here, too.
 */
import { afterAll } from 'vitest';
import { createCapacityMeter } from '../../shared/adapters/dynamodb/capacity.ts';
import { commitEffectsContract } from '../contract/commit-effects.contract.ts';
import { dynamoDbContract } from '../contract/dynamodb.contract.ts';
import { keyUsesContract } from '../contract/key-uses.contract.ts';
import { largeReadsContract } from '../contract/large-reads.contract.ts';
import { racingBindsContract } from '../contract/racing-binds.contract.ts';
import { watchSlotsContract } from '../contract/watch-slots.contract.ts';
import { dynamoStoresAt } from '../support/dynamodb-stores.ts';

const meter = createCapacityMeter();
const { create, dispose } = dynamoStoresAt(process.env['DYNAMODB_ENDPOINT'] ?? '', meter.observe);
afterAll(dispose);

largeReadsContract('LocalStack', async () => (await create()).objects);
commitEffectsContract('LocalStack', create);
racingBindsContract('LocalStack', create);
keyUsesContract('LocalStack', async () => (await create()).keyUses);
watchSlotsContract('LocalStack', async () => (await create()).watchSlots);
dynamoDbContract(create, meter);
