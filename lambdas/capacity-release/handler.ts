import { createCapacitySweepStore } from '../../shared/adapters/dynamodb/nodes/capacity-sweep.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { SCHEDULER_QUEUE } from '../../shared/ports/process/messages.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { CapacityReleaseEnv } from './env.ts';
import { CapacityReleaseMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(CapacityReleaseEnv);
const stores = createCapacityStores(tableNames(env), clock, ids);
const urls = { [SCHEDULER_QUEUE]: env.SCHEDULER_QUEUE_URL };
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const deps = { ...stores, queues, capacitySweep: createCapacitySweepStore(stores.dynamo) };

export const handler = recordsOrSchedule(
  composeSqs(CapacityReleaseMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => {
    const report = await sweep(deps);
    return report && tell(telemetry, report);
  }),
);
