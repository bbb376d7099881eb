import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import { runParts } from '../../shared/store/turns/run-parts.ts';

/** An event bus that writes lifecycle events to the log. On AWS they go to EventBridge. */
export const createLogBus = (hostLog: HostLog): EventBus => {
  const log = ({ detailType, detail }: LifecycleEvent): void => hostLog.info(detailType, detail);
  return {
    publish: async (events) => {
      for (const event of events) log(event);
    },
  };
};

/** Publishes on all of these. Rejects if one does, after the others have the events. */
export const joinBuses = (buses: readonly EventBus[]): EventBus => ({
  publish: (events) =>
    runParts(buses.map((bus, index) => ({ name: `bus ${index + 1}`, run: () => bus.publish(events) }))),
});

/** An event bus that drops all events. */
export const SILENT_BUS: EventBus = { publish: async () => {} };
