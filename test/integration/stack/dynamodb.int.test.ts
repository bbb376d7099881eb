/**
 * What the emulator of AWS in front of DynamoDB could change: large items and pages, why a transaction was cancelled, and consumed capacity.
 * All contracts of the stores, races too, run on DynamoDB Local, which is the engine here; the functions of the stack ask it directly.
 */
import { afterAll } from 'vitest';
import { createCapacityMeter } from '../../../shared/adapters/dynamodb/table/capacity.ts';
import { dynamoDbContract } from '../../contract/dynamodb/dynamodb.contract.ts';
import { commitEffectsContract } from '../../contract/store/commit-effects.contract.ts';
import { largeReadsContract } from '../../contract/store/large-reads.contract.ts';
import { dynamoStoresAt } from '../../support/stores/dynamodb-stores.ts';

const meter = createCapacityMeter();
const { create, dispose } = dynamoStoresAt(process.env['DYNAMODB_ENDPOINT'] ?? '', meter.observe);
afterAll(dispose);

largeReadsContract('LocalStack', async () => (await create()).objects);
commitEffectsContract('LocalStack', create);
dynamoDbContract(create, meter);
