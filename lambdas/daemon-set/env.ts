import * as z from 'zod/mini';
import { workloadVariables } from '../../shared/settings/aws/env.ts';
import { DAEMON_SET_QUEUE } from './queue.ts';

export const DaemonSetEnv = z.object(workloadVariables(DAEMON_SET_QUEUE.name));
