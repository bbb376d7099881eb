import type { EventBus, LifecycleEvent } from '../../shared/ports/event-bus.ts';
import type { HostLog } from '../serving/host-log.ts';

/** An event bus that writes lifecycle events to the log. On AWS they go to EventBridge. */
export const createLogBus = (hostLog: HostLog): EventBus => {
  const log = ({ detailType, detail }: LifecycleEvent): void => hostLog.info(detailType, detail);
  return {
    publish: async (events) => {
      for (const event of events) log(event);
    },
  };
};

/** An event bus that drops all events. */
export const SILENT_BUS: EventBus = { publish: async () => {} };
