import { createOwnerEdgeStore } from '../../shared/adapters/dynamodb/objects/owner-edges.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { admissionConfig, queueUrls, tableNames, type WorkloadEnv } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** The parts of a function that keeps the children of owners, such as ReplicaSets, over DynamoDB and its own queue. */
export const composeWorkloadDeps = <Queue extends string>(env: WorkloadEnv<Queue>, queue: Queue) => {
  const stores = createCapacityStores(tableNames(env), clock, ids);
  const writer = createObjectWriter({ ...stores, capacityEffects: createCapacityEffects(stores.capacity) });
  return {
    ...stores,
    writer,
    ownerEdges: createOwnerEdgeStore(stores.dynamo),
    queues: createWorkQueues({ client: createSqsClient(), urls: queueUrls(env, [queue]), clock, ids }),
    recorder: createEventRecorder({ writer, ids }),
    config: admissionConfig(env),
  };
};
