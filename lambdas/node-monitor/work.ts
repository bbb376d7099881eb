import { type ControllerPorts, createWork } from '../contract/controller.ts';
import { MonitorTick } from './message.ts';
import { NODE_MONITOR_METRICS, telemetry } from './metrics.ts';
import { NODE_MONITOR_DEFAULTS, type NodeMonitorDeps, reconcile } from './reconcile.ts';
import { runTicks } from './run-ticks.ts';

const withDefaults = (ports: ControllerPorts): NodeMonitorDeps => ({
  ...ports,
  config: { ...NODE_MONITOR_DEFAULTS, ...ports.config },
});

export const work = createWork({
  message: MonitorTick,
  reconcile: (ports, tick) => reconcile(withDefaults(ports), tick),
  runs: {
    ticks: runTicks,
  },
  metrics: NODE_MONITOR_METRICS,
  telemetry,
});
