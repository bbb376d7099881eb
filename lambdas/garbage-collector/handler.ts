import { createOwnerEdgeStore } from '../../shared/adapters/dynamodb/objects/owner-edges.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { GarbageCollectorEnv } from './env.ts';
import { GarbageMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { GARBAGE_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(GarbageCollectorEnv);
const urls = { [GARBAGE_QUEUE.name]: env.GARBAGE_QUEUE_URL };
const stores = createCapacityStores(tableNames(env), clock, ids);
const ownerEdges = createOwnerEdgeStore(stores.dynamo);
const writer = createObjectWriter({ ...stores, capacityEffects: createCapacityEffects(stores.capacity) });
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const deps = { ...stores, ownerEdges, queues, writer, recorder: createEventRecorder({ writer, ids }) };

export const handler = recordsOrSchedule(
  composeSqs(GarbageMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => tell(telemetry, await sweep(deps))),
);
