import type { ResyncDeps } from '../owners/queue-all.ts';
import { queueAll } from '../owners/queue-all.ts';
import { DEPLOYMENT_QUEUE } from './queue.ts';

/** Queues every Deployment, and every ReplicaSet that could be adopted. This makes up for changes and messages that were lost. */
export const resync = (deps: ResyncDeps): Promise<undefined> =>
  queueAll(deps, { owners: 'deployments', children: 'replicasets', queue: DEPLOYMENT_QUEUE.name });
