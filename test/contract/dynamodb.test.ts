import { afterAll, describe, it } from 'vitest';
import { createCapacityMeter } from '../../shared/adapters/dynamodb/table/capacity.ts';
import { SKIPPED, startDynamoDb } from '../support/stores/dynamodb-local.ts';
import { dynamoStoresAt } from '../support/stores/dynamodb-stores.ts';
import { dynamoDbContract } from './dynamodb/dynamodb.contract.ts';
import { dynamoDbFaultsContract } from './dynamodb/dynamodb-faults.contract.ts';
import { eventSenderContract } from './outside/event-sender.contract.ts';
import { keyUsesContract } from './outside/key-uses.contract.ts';
import { publicKeysContract } from './outside/public-keys.contract.ts';
import { addressesContract } from './store/addresses.contract.ts';
import { capacityContract } from './store/capacity.contract.ts';
import { capacitySweepContract } from './store/capacity-sweep.contract.ts';
import { commitEffectsContract } from './store/commit-effects.contract.ts';
import { controlStoreContract } from './store/control-store.contract.ts';
import { heartbeatStoreContract } from './store/heartbeat-store.contract.ts';
import { largeReadsContract } from './store/large-reads.contract.ts';
import { namespaceRaceContract } from './store/namespace-race.contract.ts';
import { objectLogContract } from './store/object-store.contract.ts';
import { outboxContract } from './store/outbox.contract.ts';
import { ownerEdgesContract } from './store/owner-edges.contract.ts';
import { ownerTurnsContract } from './store/owner-turns.contract.ts';
import { racingBindsContract } from './store/racing-binds.contract.ts';
import { watchSlotsContract } from './store/watch-slots.contract.ts';
import { claimUnits } from './units/claim-units.contract.ts';
import { cloudNodeUnits } from './units/cloud-node-units.contract.ts';
import { podGcUnits } from './units/pod-gc-units.contract.ts';

const running = await startDynamoDb();

if (running) {
  const meter = createCapacityMeter();
  const { create, dispose } = dynamoStoresAt(running.endpoint, meter.observe);
  afterAll(async () => {
    await dispose();
    await running.stop();
  });
  objectLogContract('DynamoDB', async () => (await create()).objects);
  largeReadsContract('DynamoDB', async () => (await create()).objects);
  namespaceRaceContract('DynamoDB', create);
  commitEffectsContract('DynamoDB', create);
  capacityContract('DynamoDB', create);
  capacitySweepContract('DynamoDB', create);
  racingBindsContract('DynamoDB', create);
  ownerEdgesContract('DynamoDB', create);
  ownerTurnsContract('DynamoDB', create);
  addressesContract('DynamoDB', create);
  heartbeatStoreContract('DynamoDB', create);
  controlStoreContract('DynamoDB', create);
  keyUsesContract('DynamoDB', async () => (await create()).keyUses);
  publicKeysContract('DynamoDB', async () => (await create()).publicKeys);
  outboxContract('DynamoDB', async () => (await create()).outbox);
  eventSenderContract('DynamoDB', create);
  watchSlotsContract('DynamoDB', async () => (await create()).watchSlots);
  dynamoDbContract(create, meter);
  claimUnits(create, meter);
  cloudNodeUnits(create, meter);
  podGcUnits(create, meter);
  dynamoDbFaultsContract(create);
} else {
  // Without Java there is no DynamoDB Local. The line above the summary says so; CI installs Java.
  console.log(SKIPPED);
  describe.skip('DynamoDB', () => {
    it(SKIPPED, () => {});
  });
}
