import { createStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { tell } from '../runtime/tell.ts';
import { PodReadinessEnv } from './env.ts';
import { PodReadinessMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { POD_READINESS_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';

const env = parseEnv(PodReadinessEnv);
const stores = createStores(tableNames(env), clock, ids);
const writer = createObjectWriter(stores);
const urls = { [POD_READINESS_QUEUE.name]: env.POD_READINESS_QUEUE_URL };
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const deps = { ...stores, clock, queues, writer, recorder: createEventRecorder({ writer, ids }) };

export const handler = composeSqs(PodReadinessMessage, async (message) =>
  tell(telemetry, await reconcile(deps, message)),
);
