import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { queueUrls, tableNames } from '../../shared/settings/aws/env.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { NamespaceEnv } from './env.ts';
import { NamespaceMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { NAMESPACE_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(NamespaceEnv);
const stores = createCapacityStores(tableNames(env), clock, ids);
const writer = createObjectWriter({ ...stores, capacityEffects: createCapacityEffects(stores.capacity) });
const urls = queueUrls(env, [NAMESPACE_QUEUE.name]);
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const deps = { ...stores, queues, writer };

export const handler = recordsOrSchedule(
  composeSqs(NamespaceMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(() => sweep(deps)),
);
