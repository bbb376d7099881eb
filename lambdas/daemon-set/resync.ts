import type { ResyncDeps } from '../owners/queue-all.ts';
import { queueAll } from '../owners/queue-all.ts';
import { DAEMON_SET_QUEUE } from './queue.ts';

/** Queues every DaemonSet, and every pod that could be adopted. This makes up for changes and messages that were lost. */
export const resync = (deps: ResyncDeps): Promise<undefined> =>
  queueAll(deps, { owners: 'daemonsets', children: 'pods', queue: DAEMON_SET_QUEUE.name });
