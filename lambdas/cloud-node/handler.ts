import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
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
const cloud = await loadProvider(env.CLOUD, env.WEBHOOK_TOKEN_SECRET_ARN, env.CLUSTER_ID);
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
