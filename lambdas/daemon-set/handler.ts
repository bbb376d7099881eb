import { composeWorkloadDeps } from '../owners/workload-deps.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
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
