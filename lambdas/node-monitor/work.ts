import { type ControllerPorts, createWork } from '../contract/controller.ts';
import { MonitorTick } from './message.ts';
import { NODE_MONITOR_METRICS, telemetry } from './metrics.ts';
import { NODE_MONITOR_DEFAULTS, type NodeMonitorDeps, reconcile } from './reconcile.ts';
import { enqueueTicks } from './ticks.ts';

const withDefaults = (ports: ControllerPorts): NodeMonitorDeps => ({
  ...ports,
  config: { ...NODE_MONITOR_DEFAULTS, ...ports.config },
});

export const work = createWork({
  message: MonitorTick,
  reconcile: (ports, tick) => reconcile(withDefaults(ports), tick),
  runs: {
    ticks: async (ports) => {
      await enqueueTicks(ports, ports.clock.now());
      return undefined;
    },
  },
  metrics: NODE_MONITOR_METRICS,
  telemetry,
});
