import { createStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { loadDisks } from './disks/disks.ts';
import { VolumeAttacherEnv } from './env.ts';
import { VolumeAttacherMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { VOLUME_ATTACHER_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

const env = parseEnv(VolumeAttacherEnv);
const urls = { [VOLUME_ATTACHER_QUEUE.name]: env.VOLUME_ATTACHER_QUEUE_URL };
const stores = createStores(tableNames(env), clock, ids);
const disks = await loadDisks(env.VOLUME_ATTACHER, env.CLUSTER_ID);
const deps = {
  ...stores,
  queues: createWorkQueues({ client: createSqsClient(), urls, clock, ids }),
  writer: createObjectWriter(stores),
  ...(disks ? { disks } : {}),
};

export const handler = recordsOrSchedule(
  composeSqs(VolumeAttacherMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(async () => sweep(deps)),
);
