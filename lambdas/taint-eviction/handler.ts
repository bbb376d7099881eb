import { createStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/config/env.ts';
import { composeSchedule } from '../../shared/lambda/compose-schedule.ts';
import { composeSqs } from '../../shared/lambda/compose-sqs.ts';
import { parseEnv } from '../../shared/lambda/parse-env.ts';
import { recordsOrSchedule } from '../../shared/lambda/records-or-schedule.ts';
import { TaintEvictionMessage } from '../../shared/ports/messages.ts';
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import { TaintEvictionEnv } from './env.ts';
import { recordEvictions, recordSweep } from './figures.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(TaintEvictionEnv);
const urls = { 'taint-eviction': env.TAINT_EVICTION_QUEUE_URL };
const stores = createStores(tableNames(env), clock, ids);
const writer = createObjectWriter(stores);
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const recorder = createEventRecorder({ writer, ids });
const deps = { ...stores, queues, writer, recorder };

export const handler = recordsOrSchedule(
  composeSqs(TaintEvictionMessage, async (message) => recordEvictions(await reconcile(deps, message))),
  composeSchedule(async () => recordSweep(await sweep(deps))),
);
