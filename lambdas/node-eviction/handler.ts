import { createStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { EvictionWakeup } from '../../shared/ports/process/messages.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { tell } from '../runtime/tell.ts';
import { NodeEvictionEnv } from './env.ts';
import { telemetry } from './metrics.ts';
import { WAKEUPS } from './queue.ts';
import { reconcile } from './reconcile.ts';

const env = parseEnv(NodeEvictionEnv);
const urls = { [WAKEUPS.name]: env.EVICTION_WAKEUPS_QUEUE_URL };
const stores = createStores(tableNames(env), clock, ids);
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const deps = { ...stores, queues, writer: createObjectWriter(stores) };

export const handler = composeSqs(EvictionWakeup, async (wakeup) =>
  tell(telemetry, await reconcile(deps, wakeup)),
);
