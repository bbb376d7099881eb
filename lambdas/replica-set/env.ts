import * as z from 'zod/mini';
import { workloadVariables } from '../../shared/settings/aws/env.ts';
import { REPLICA_SET_QUEUE } from './queue.ts';

export const ReplicaSetEnv = z.object(workloadVariables(REPLICA_SET_QUEUE.name));
