import { composeSchedule } from '../../shared/lambda/compose-schedule.ts';
import { composeSqs } from '../../shared/lambda/compose-sqs.ts';
import { parseEnv } from '../../shared/lambda/parse-env.ts';
import { recordsOrSchedule } from '../../shared/lambda/records-or-schedule.ts';
import { tell } from '../../shared/lambda/tell.ts';
import { WorkloadMessage } from '../../shared/ports/messages.ts';
import { composeWorkloadDeps } from '../workload-deps.ts';
import { JobEnv } from './env.ts';
import { telemetry } from './metrics.ts';
import { JOB_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

const deps = composeWorkloadDeps(parseEnv(JobEnv), JOB_QUEUE.name);

export const handler = recordsOrSchedule(
  composeSqs(WorkloadMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(() => resync(deps)),
);
