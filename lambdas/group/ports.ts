/** The ports of controllers over DynamoDB and SQS. */
import { createAllStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createWorkQueues, type WorkQueueDeps } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { admissionConfig, nodeLifecycleConfig, tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import { withHolds } from '../../shared/store/writer/destruction.ts';
import { createKnownHolds } from '../../shared/store/writer/known-holds.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { ControllerConfig, ControllerPorts } from '../contract/controller.ts';
import type { GroupEnv } from './env.ts';

const configOf = (env: GroupEnv): ControllerConfig => ({
  ...nodeLifecycleConfig(env),
  ...admissionConfig(env),
  terminatedPodGcThreshold: env.TERMINATED_POD_GC_THRESHOLD,
  disableForceDetachOnTimeout: env.DISABLE_FORCE_DETACH_ON_TIMEOUT,
  outOfService: env.OUT_OF_SERVICE,
  maintenanceLeadMs: env.MAINTENANCE_LEAD_MS,
});

/** Only the group of the node monitor announces anything. */
const noBus: ControllerPorts['bus'] = {
  publish: () => Promise.reject(new Error('this group of controllers has no event bus')),
};

/** The ports that every group has. What a controller asks for beyond its rights, AWS refuses. */
export const groupPorts = (env: GroupEnv, client: WorkQueueDeps['client']) => {
  const stores = createAllStores(tableNames(env), clock, ids);
  const holds = createKnownHolds(stores);
  const capacityEffects = createCapacityEffects(stores.capacity);
  const writer = withHolds(createObjectWriter({ ...stores, capacityEffects }), holds);
  return {
    ...stores,
    queues: createWorkQueues({ client, routes: env.WORK_QUEUES, clock, ids }),
    writer,
    holds,
    recorder: createEventRecorder({ writer, ids }),
    bus: noBus,
    skipsCalmPasses: true,
    config: configOf(env),
    nodeIpam: env.NODE_IPAM,
    schedulerName: env.SCHEDULER_NAME,
  };
};

/** The ports that every group has. */
export type GroupPorts = ReturnType<typeof groupPorts>;
