import type { ResyncDeps } from '../owners/queue-all.ts';
import { queueAll } from '../owners/queue-all.ts';
import { REPLICA_SET_QUEUE } from './queue.ts';

/** Queues every ReplicaSet, and every pod that could be adopted. This makes up for changes and messages that were lost. */
export const resync = (deps: ResyncDeps): Promise<undefined> =>
  queueAll(deps, { owners: 'replicasets', children: 'pods', queue: REPLICA_SET_QUEUE.name });
