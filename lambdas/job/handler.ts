import { composeWorkloadDeps } from '../owners/workload-deps.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { JobEnv } from './env.ts';
import { JobMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { JOB_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

const deps = composeWorkloadDeps(parseEnv(JobEnv), JOB_QUEUE.name);

export const handler = recordsOrSchedule(
  composeSqs(JobMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(() => resync(deps)),
);
