import { createCapacitySweepStore } from '../../shared/adapters/dynamodb/nodes/capacity-sweep.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { SchedulerWakeUp } from '../../shared/ports/process/messages.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { SchedulerEnv } from './env.ts';
import { telemetry } from './metrics.ts';
import { SCHEDULER_QUEUE } from './queue.ts';
import { flush, reconcile } from './reconcile.ts';

const env = parseEnv(SchedulerEnv);
const stores = createCapacityStores(tableNames(env), clock, ids);
const writer = createObjectWriter({ ...stores, capacityEffects: createCapacityEffects(stores.capacity) });
const urls = { [SCHEDULER_QUEUE.name]: env.SCHEDULER_QUEUE_URL };
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const schedulerName = env.SCHEDULER_NAME;
const capacitySweep = createCapacitySweepStore(stores.dynamo);
const deps = {
  ...stores,
  capacitySweep,
  queues,
  writer,
  schedulerName,
  recorder: createEventRecorder({ writer, ids }),
};

export const handler = recordsOrSchedule(
  composeSqs(SchedulerWakeUp, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => flush(deps)),
);
