import { measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { HoldReport } from './reconcile.ts';

const { counter, gauge } = subsystem('hold_controller');

export const HOLD_METRICS = {
  active: gauge('holds', 'Holds in the book, as of the last look.'),
  oldest: gauge('oldest_hold_seconds', 'Seconds since the oldest Hold of the book began; 0 without one.'),
  begun: counter('holds_in_force_total', 'Holds that this controller has brought into force.'),
  ended: counter('holds_ended_total', 'Holds that have ended.'),
};

export const telemetry: Telemetry<HoldReport> = {
  metricsOf: ({ active, begun, ended, oldestMs }) => [
    measured(HOLD_METRICS.active, active),
    measured(HOLD_METRICS.oldest, oldestMs / 1000),
    measured(HOLD_METRICS.begun, begun),
    measured(HOLD_METRICS.ended, ended),
  ],
  linesOf: ({ begun, ended, active }) =>
    begun + ended > 0
      ? [{ level: 'info', message: 'holds have changed', fields: { begun, ended, active } }]
      : [],
};
