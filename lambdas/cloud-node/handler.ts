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
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import { CloudNodeEnv } from './env.ts';
import { CloudNodeMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { loadFencing, loadProvider } from './provider.ts';
import { CLOUD_NODE_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(CloudNodeEnv);
const urls = { [CLOUD_NODE_QUEUE.name]: env.CLOUD_NODE_QUEUE_URL };
const stores = createCapacityStores(tableNames(env), clock, ids);
const writer = createObjectWriter(stores);
const cloud = await loadProvider(env.CLOUD, env.WEBHOOK_TOKEN_SECRET_ARN);
const fencing = await loadFencing(env.OUT_OF_SERVICE, env.WEBHOOK_TOKEN_SECRET_ARN);
const deps = {
  ...stores,
  queues: createWorkQueues({ client: createSqsClient(), urls, clock, ids }),
  writer,
  recorder: createEventRecorder({ writer, ids }),
  ...(cloud ? { cloud } : {}),
  ...(fencing ? { fencing } : {}),
  config: { outOfService: env.OUT_OF_SERVICE, maintenanceLeadMs: env.MAINTENANCE_LEAD_MS },
};

export const handler = recordsOrSchedule(
  composeSqs(CloudNodeMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => tell(telemetry, await sweep(deps))),
);
