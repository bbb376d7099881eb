import * as z from 'zod/mini';
import { queueVariables, TableVariables } from '../../shared/settings/aws/env.ts';
import { NAMESPACE_QUEUE } from './queue.ts';

export const NamespaceEnv = z.object({ ...TableVariables, ...queueVariables([NAMESPACE_QUEUE.name]) });
