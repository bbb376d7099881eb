import * as z from 'zod/mini';
import {
  OutOfServiceVariables,
  TerminatedPodGcVariables,
  WorkQueueVariables,
} from '../../shared/settings/aws/controller-env.ts';
import {
  AdmissionVariables,
  DisableForceDetachVariables,
  NodeIpamVariables,
  NodeLifecycleVariables,
  TableVariables,
  text,
} from '../../shared/settings/aws/env.ts';

/** The variables of each function that runs controllers. */
export const GroupEnv = z.object({
  ...TableVariables,
  ...WorkQueueVariables,
  ...NodeLifecycleVariables,
  ...AdmissionVariables,
  ...NodeIpamVariables,
  ...OutOfServiceVariables,
  ...TerminatedPodGcVariables,
  ...DisableForceDetachVariables,
  SCHEDULER_NAME: text('the schedulerName of the pods to place'),
});

/** The variables that are parsed. */
export type GroupEnv = z.output<typeof GroupEnv>;
