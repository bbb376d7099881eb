import { createStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { DisruptionEnv } from './env.ts';
import { DisruptionMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { DISRUPTION_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(DisruptionEnv);
const urls = { [DISRUPTION_QUEUE.name]: env.DISRUPTION_QUEUE_URL };
const stores = createStores(tableNames(env), clock, ids);
const writer = createObjectWriter(stores);
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const deps = { ...stores, queues, writer, recorder: createEventRecorder({ writer, ids }) };

export const handler = recordsOrSchedule(
  composeSqs(DisruptionMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => tell(telemetry, await sweep(deps))),
);
