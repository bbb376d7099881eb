import * as z from 'zod/mini';
import { WorkQueueVariables } from '../../shared/settings/aws/controller-env.ts';
import { eventBusName, TableVariables, text } from '../../shared/settings/aws/env.ts';
import { EventFilterVariables } from '../../shared/settings/aws/event-env.ts';

export const ChangeRouterEnv = z.object({
  ...TableVariables,
  ...WorkQueueVariables,
  EVENT_BUS_NAME: eventBusName,
  ...EventFilterVariables,
  STACK_ID: text('the unique id of this stack, a new one each time that it is created'),
});
