import * as z from 'zod/mini';
import { eventBusName, queueVariables, TableVariables, text } from '../../shared/settings/aws/env.ts';
import { EventFilterVariables } from '../../shared/settings/aws/event-env.ts';
import { ROUTED_QUEUES } from '../controllers.ts';

export const ChangeRouterEnv = z.object({
  ...TableVariables,
  ...queueVariables(ROUTED_QUEUES),
  EVENT_BUS_NAME: eventBusName,
  ...EventFilterVariables,
  STACK_ID: text('the unique id of this stack, a new one each time that it is created'),
});
