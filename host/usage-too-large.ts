/** Tells the operator of nodes whose answers about their usage are too large to be read. */

import type { NodeToAsk } from '../shared/ports/outside/node-fetch.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import { nodeTarget } from '../shared/ports/process/event-recorder.ts';
import { createEventRecorder, type EventRecorderDeps } from '../shared/store/events/event-recorder.ts';

/** One Event per node and hour: a node that lies goes on lying. */
const HOUR_MS = 3_600_000;

/** Writes an Event on the Node. */
export const createUsageTeller = (deps: EventRecorderDeps & { readonly clock: Pick<Clock, 'now'> }) => {
  const recorder = createEventRecorder(deps);
  return ({ name, uid }: NodeToAsk, why: string): void => {
    const message = `what the node tells of its usage is not read: ${why}; it is asked again in 5 minutes`;
    const text = { type: 'Warning', reason: 'UsageTooLarge', message, component: 'metrics' } as const;
    void recorder.record(nodeTarget(name, uid), text, String(Math.floor(deps.clock.now() / HOUR_MS)));
  };
};
