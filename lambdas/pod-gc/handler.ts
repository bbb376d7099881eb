import { createCapacitySweepStore } from '../../shared/adapters/dynamodb/nodes/capacity-sweep.ts';
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
import { PodGcEnv } from './env.ts';
import { PodGcMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { POD_GC_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(PodGcEnv);
const urls = { [POD_GC_QUEUE.name]: env.POD_GC_QUEUE_URL };
const stores = createCapacityStores(tableNames(env), clock, ids);
const writer = createObjectWriter(stores);
const deps = {
  ...stores,
  capacitySweep: createCapacitySweepStore(stores.dynamo),
  queues: createWorkQueues({ client: createSqsClient(), urls, clock, ids }),
  writer,
  recorder: createEventRecorder({ writer, ids }),
  config: {
    terminatedPodGcThreshold: env.TERMINATED_POD_GC_THRESHOLD,
    nodeMonitorGracePeriodMs: env.NODE_MONITOR_GRACE_PERIOD_SECONDS * 1000,
  },
};

export const handler = recordsOrSchedule(
  composeSqs(PodGcMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => tell(telemetry, await sweep(deps))),
);
