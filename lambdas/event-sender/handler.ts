import { createOutboxStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createDeliverAgain } from '../../shared/adapters/sqs/redelivery.ts';
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
const client = createSqsClient();
const queues = createWorkQueues({ client, routes: env.WORK_QUEUES, clock, ids });
const stores = createOutboxStores(tableNames(env), clock, ids);
const deps = { ...stores, queues, clusterId: env.CLUSTER_ID, sinks: createSinks(env.EVENT_SINKS, clock) };

export const handler = recordsOrSchedule(
  composeSqs(async ({ body }) => tell(telemetry, await lookAt(deps, SinkLook.parse(body))), {
    deliverAgain: createDeliverAgain(client, env.WORK_QUEUES, SINK_LOOKS),
  }),
  composeSchedule(async () => tell(telemetry, await lookAtAll(deps))),
);
