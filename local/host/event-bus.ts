import type { EventBus, LifecycleEvent } from '../../shared/ports/event-bus.ts';
import type { HostLog } from '../serving/host-log.ts';

/** Tells lifecycle events to whoever reads the log: on AWS they go to an EventBridge bus. */
export const createLogBus = (hostLog: HostLog): EventBus => {
  const tell = ({ detailType, detail }: LifecycleEvent): void => hostLog.info(detailType, detail);
  return {
    publish: async (events) => {
      for (const event of events) tell(event);
    },
  };
};

export const SILENT_BUS: EventBus = { publish: async () => {} };
