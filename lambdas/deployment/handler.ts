import { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { composeWorkloadDeps } from '../owners/workload-deps.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { DeploymentEnv } from './env.ts';
import { telemetry } from './metrics.ts';
import { DEPLOYMENT_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

const deps = composeWorkloadDeps(parseEnv(DeploymentEnv), DEPLOYMENT_QUEUE.name);

export const handler = recordsOrSchedule(
  composeSqs(WorkloadMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(() => resync(deps)),
);
