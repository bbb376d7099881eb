import { createOutboxStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { SINK_LOOKS, SinkLook } from '../../shared/ports/process/messages.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { EventSenderEnv } from './env.ts';
import { lookAt, lookAtAll } from './look.ts';
import { telemetry } from './metrics.ts';
import { createSinks } from './sinks.ts';

const env = parseEnv(EventSenderEnv);
const urls = { [SINK_LOOKS]: env.EVENT_SENDER_QUEUE_URL };
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const stores = createOutboxStores(tableNames(env), clock, ids);
const deps = { ...stores, queues, clusterId: env.CLUSTER_ID, sinks: createSinks(env.EVENT_SINKS, clock) };

export const handler = recordsOrSchedule(
  composeSqs(SinkLook, async (look) => tell(telemetry, await lookAt(deps, look))),
  composeSchedule(async () => tell(telemetry, await lookAtAll(deps))),
);
