import { composeSchedule } from '../../shared/lambda/compose-schedule.ts';
import { composeSqs } from '../../shared/lambda/compose-sqs.ts';
import { parseEnv } from '../../shared/lambda/parse-env.ts';
import { recordsOrSchedule } from '../../shared/lambda/records-or-schedule.ts';
import { tell } from '../../shared/lambda/tell.ts';
import { composeWorkloadDeps } from '../workload-deps.ts';
import { DaemonSetEnv } from './env.ts';
import { DaemonSetMessage } from './message.ts';
import { telemetry } from './metrics.ts';
import { DAEMON_SET_QUEUE } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

const deps = composeWorkloadDeps(parseEnv(DaemonSetEnv), DAEMON_SET_QUEUE.name);

export const handler = recordsOrSchedule(
  composeSqs(DaemonSetMessage, async (message) => tell(telemetry, await reconcile(deps, message))),
  composeSchedule(() => resync(deps)),
);
