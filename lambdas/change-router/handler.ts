import { createOutboxStores } from '../../shared/adapters/dynamodb/stores.ts';
import { toRowChange } from '../../shared/adapters/dynamodb/table/stream-records.ts';
import { createEventBridgeClient } from '../../shared/adapters/eventbridge/client.ts';
import { createEventBus } from '../../shared/adapters/eventbridge/event-bus.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createSinkBuses } from '../../shared/store/events/outbox-bus.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeStream } from '../runtime/compose-stream.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { createBatchRouter } from './batch-router.ts';
import { ChangeRouterEnv } from './env.ts';
import { resync } from './resync.ts';
import { createRoutedUntil } from './routed-until.ts';

const env = parseEnv(ChangeRouterEnv);
const stores = createOutboxStores(tableNames(env), clock, ids);
const queues = createWorkQueues({ client: createSqsClient(), routes: env.WORK_QUEUES, clock, ids });
const deps = {
  ...stores,
  queues,
  bus: createEventBus({ client: createEventBridgeClient(), busName: env.EVENT_BUS_NAME, clock, ids }),
  sinks: createSinkBuses({ ...stores, queues, sinks: env.EVENT_FILTERS }),
  recorder: createEventRecorder({ writer: createObjectWriter(stores), ids }),
  routedUntil: createRoutedUntil({ ...stores, router: env.STACK_ID }),
};

export const handler = recordsOrSchedule(
  composeStream(toRowChange, createBatchRouter(deps)),
  composeSchedule(() => resync(deps)),
);
