import type { ResyncDeps } from '../owners/queue-all.ts';
import { queueAll } from '../owners/queue-all.ts';
import { STATEFUL_SET_QUEUE } from './queue.ts';

/** Queues every StatefulSet, and every pod that could be adopted. This makes up for changes and messages that were lost. */
export const resync = (deps: ResyncDeps): Promise<undefined> =>
  queueAll(deps, { owners: 'statefulsets', children: 'pods', queue: STATEFUL_SET_QUEUE.name });
