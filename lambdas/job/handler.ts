import { createOwnerEdgeStore } from '../../shared/adapters/dynamodb/owner-edges.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/config/env.ts';
import { composeSchedule } from '../../shared/lambda/compose-schedule.ts';
import { composeSqs } from '../../shared/lambda/compose-sqs.ts';
import { parseEnv } from '../../shared/lambda/parse-env.ts';
import { recordsOrSchedule } from '../../shared/lambda/records-or-schedule.ts';
import { tell } from '../../shared/lambda/tell.ts';
import { WorkloadMessage } from '../../shared/ports/messages.ts';
import { createCapacityEffects } from '../../shared/state/capacity-effects.ts';
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import { JobEnv } from './env.ts';
import { telemetry } from './metrics.ts';
import { JOB_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

const env = parseEnv(JobEnv);
const urls = { [JOB_QUEUE.name]: env.JOB_QUEUE_URL };
const stores = createCapacityStores(tableNames(env), clock, ids);
const ownerEdges = createOwnerEdgeStore(stores.dynamo);
const writer = createObjectWriter({ ...stores, capacityEffects: createCapacityEffects(stores.capacity) });
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const recorder = createEventRecorder({ writer, ids });
const config = { defaultTolerationSeconds: env.DEFAULT_TOLERATION_SECONDS };
const deps = { ...stores, ownerEdges, queues, writer, recorder, config };

export const handler = recordsOrSchedule(
  composeSqs(WorkloadMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(() => resync(deps)),
);
