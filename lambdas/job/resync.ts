import type { ResyncDeps } from '../owners/queue-all.ts';
import { queueAll } from '../owners/queue-all.ts';
import { JOB_QUEUE } from './queue.ts';
import { ofHeldPod } from './routing.ts';

/** Queues every Job, the Jobs that pods are held for, and every pod that could be adopted. This makes up for changes and messages that were lost. */
export const resync = (deps: ResyncDeps): Promise<undefined> =>
  queueAll(deps, { owners: 'jobs', children: 'pods', queue: JOB_QUEUE.name }, ofHeldPod);
